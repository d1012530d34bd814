import { newId } from "@diegetic/contracts";
import { type Provocation, type ProvocationsOfOperations, sent } from "./provocation.ts";
import { changeStoredSeeds, operationNamed } from "./world.fixture.ts";

/** A key without `serving` meets one of its account that has all scopes. */
const byLesserKey: Provocation = async (world, operation) => {
  const body = { label: "lesser", scopes: ["advertiser", "developer"] };
  const lesser = await world.call(operationNamed("createApiKey"), { body }).expect(201);
  return world.call(operation, { by: { ...world.owner, key: lesser.body.key } });
};

/** A key with a lower limit rotates the first one of its account, or repeats its creation. */
const bySlowerKey: Provocation = async (world, operation) => {
  const by = await world.account({ rateLimitPerMinute: 500 });
  const first = await world.api.database.apiKey.findFirstOrThrow({ where: { accountId: by.accountId } });
  const slow = { label: "slow", rate_limit_per_minute: 50 };
  const slower = await world.call(operationNamed("createApiKey"), { by, body: slow }).expect(201);
  const call = { body: { label: "new" }, headers: { "Idempotency-Key": newId("acct") } };
  if (operation.operationId === "createApiKey") await world.call(operation, { ...call, by }).expect(201);
  return world.call(operation, {
    ...call,
    by: { ...by, key: slower.body.key },
    named: { key_id: first.id },
  });
};

/** What the first answer showed cannot be derived again: the stored seed is another one. */
const afterAnotherSecret: Provocation = async (world, operation) => {
  const by = await world.account();
  const old = await world.call(operationNamed("createApiKey"), { by, body: { label: "old" } }).expect(201);
  const call = {
    by,
    named: { key_id: old.body.id as string },
    body: { label: "new" },
    headers: { "Idempotency-Key": newId("acct") },
  };
  await world.call(operation, call).expect(201);
  await changeStoredSeeds(world, by.accountId);
  return world.call(operation, call);
};

/** The account has this many keys more. */
const withKeys =
  (count: number, revokedAt: Date | null): Provocation =>
  async (world, operation) => {
    const by = await world.account();
    const old = await world.call(operationNamed("createApiKey"), { by, body: { label: "old" } }).expect(201);
    await world.api.database.$executeRaw`
      INSERT INTO api_keys (id, account_id, sha256, prefix, label, scopes, revoked_at)
      SELECT 'key_' || lpad(n::text, 26, '0'), ${by.accountId}, encode(sha256((${by.accountId} || n)::bytea), 'hex'),
        'igk_many', 'many', '{advertiser}', ${revokedAt}::timestamptz
      FROM generate_series(1, ${count}::int) AS n
      ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, revoked_at = excluded.revoked_at`;
    const named = { key_id: old.body.id as string };
    return world.call(operation, { by, named, body: { label: "new" } });
  };
const oneTooMany = withKeys(99, null);
const manyEnded = withKeys(999, new Date());

export const apiKeyRefusals: ProvocationsOfOperations = {
  createApiKey: {
    "400 missing_field": sent({}),
    "400 malformed_field": sent({ label: 7 }),
    "403 lacking_scope": async (world, operation) =>
      world.call(operation, {
        by: await world.account({ scopes: ["advertiser", "developer"] }),
        body: { label: "Game server EU", scopes: ["serving"] },
      }),
    "403 higher_limit": bySlowerKey,
    "422 not_allowed": async (world, operation) =>
      world.call(operation, {
        by: await world.account({ rateLimitPerMinute: null }),
        body: { label: "Game server EU", rate_limit_per_minute: 500 },
      }),
    "409 not_shown_again": afterAnotherSecret,
    "422 too_many": oneTooMany,
    "422 too_many_ended": manyEnded,
  },
  rotateApiKey: {
    "400 malformed_field": sent({ overlap_seconds: "day" }),
    "403 higher_limit": bySlowerKey,
    "422 not_allowed": sent({ overlap_seconds: -1 }),
    "403 lacking_scope": byLesserKey,
    "409 not_shown_again": afterAnotherSecret,
    "422 too_many": oneTooMany,
    "422 too_many_ended": manyEnded,
  },
  revokeApiKey: {
    "403 lacking_scope": byLesserKey,
    "409 last_key": async (world, operation) => {
      const by = await world.account();
      const { id } = await world.api.database.apiKey.findFirstOrThrow({
        where: { accountId: by.accountId },
      });
      return world.call(operation, { by, named: { key_id: id } });
    },
  },
};
