import { apiKeySchema, createdApiKeySchema, validator } from "@diegetic/contracts";
import { DAY_MS, inTransaction } from "@diegetic/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Test } from "supertest";
import { type Caller, type Harness, startHarness } from "../../testing/harness.ts";
import { createAccountWithKey } from "./create-account.ts";

let harness: Harness;
let owner: Caller;
beforeAll(async () => {
  harness = await startHarness();
  owner = await harness.caller({ label: "first" });
});
afterAll(() => harness.stop());

/** The status that management answers to a key. */
const statusOf = async (key: string) =>
  (await harness.callerWith(owner.accountId, key).get("/api-keys")).status;
const make = async (by: Caller, body: object = {}) =>
  (await by.post("/api-keys", { label: "made", ...body }).expect(201)).body;
const list = async (by: Caller): Promise<{ id: string; label: string; expires_at: string | null }[]> =>
  (await by.get("/api-keys").expect(200)).body;
/** A key of the owner's account that may do only this. */
const limited = async (by: Caller, scopes: string[], limit?: number): Promise<Caller> => {
  const { key } = await make(by, { scopes, ...(limit && { rate_limit_per_minute: limit }) });
  return harness.callerWith(by.accountId, key);
};

describe("POST /api-keys", () => {
  it("shows the key once, which works at once, and stores only its SHA-256", async () => {
    const { body } = await owner.post("/api-keys", { label: "server" }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      key: expect.stringMatching(/^igk_[A-Za-z0-9_-]{43}$/),
      prefix: body.key.slice(0, 10),
      label: "server",
      scopes: ["advertiser", "developer", "serving"],
      rate_limit_per_minute: null,
      created_by_user_id: null,
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
    });
    expect(validator(createdApiKeySchema)(body)).toEqual(body);
    expect(await statusOf(body.key)).toBe(200);
    const row = await harness.management.database.apiKey.findUniqueOrThrow({ where: { id: body.id } });
    expect(JSON.stringify(row)).not.toContain(body.key);
    expect(row.publishedVersion).toBe(row.version);
    const listed = (await list(owner)).find(({ id }) => id === body.id);
    const { key, ...rest } = body;
    expect(listed).toEqual({ ...rest, last_used_at: expect.any(String) });
  });

  const accepted: [string, object, object][] = [
    ["one scope", { scopes: ["serving"] }, { scopes: ["serving"] }],
    ["a scope named twice", { scopes: ["serving", "serving"] }, { scopes: ["serving"] }],
    ["a limit", { rate_limit_per_minute: 1 }, { rate_limit_per_minute: 1 }],
    ["the highest limit", { rate_limit_per_minute: 1_000 }, { rate_limit_per_minute: 1_000 }],
    ["nulls: the defaults", { scopes: null, rate_limit_per_minute: null }, { rate_limit_per_minute: null }],
  ];
  it.each(accepted)("takes %s", async (_name, body, expected) => {
    expect(await make(owner, body)).toMatchObject(expected);
  });

  const refused: [string, object, number, string][] = [
    ["no label", { label: undefined }, 400, "label is required"],
    ["a blank label", { label: " " }, 400, "label must be text"],
    ["a long label", { label: "x".repeat(201) }, 422, "at most 200"],
    ["a scope that is none", { scopes: ["admin"] }, 422, "advertiser, developer, serving"],
    ["no scope", { scopes: [] }, 422, "at least 1"],
    ["too many scopes", { scopes: Array(4).fill("serving") }, 422, "at most 3"],
    ["scopes as text", { scopes: "serving" }, 400, "scopes must be a list"],
    ["no requests", { rate_limit_per_minute: 0 }, 422, "from 1 to 1000000000"],
    ["too many requests", { rate_limit_per_minute: 1_001 }, 422, "from 1 to 1000 (the limit of"],
    ["half a request", { rate_limit_per_minute: 1.5 }, 400, "whole number"],
    ["a limit as text", { rate_limit_per_minute: "unlimited" }, 400, "whole number"],
  ];
  it.each(refused)("refuses %s", async (_name, body, status, part) => {
    const answer = await owner.post("/api-keys", { label: "x", ...body }).expect(status);
    expect(answer.body).toEqual({ detail: expect.stringContaining(part) });
  });

  it("never gives more than the calling key has", async () => {
    const advertiser = await limited(owner, ["advertiser", "serving"], 50);
    expect(await make(advertiser)).toMatchObject({
      scopes: ["advertiser", "serving"],
      rate_limit_per_minute: 50,
    });
    expect(await make(advertiser, { rate_limit_per_minute: 50 })).toMatchObject({
      rate_limit_per_minute: 50,
    });
    const more = await advertiser.post("/api-keys", { label: "x", scopes: ["developer"] }).expect(403);
    expect(more.body.detail).toContain('"developer"');
    const faster = await advertiser.post("/api-keys", { label: "x", rate_limit_per_minute: 51 }).expect(422);
    expect(faster.body.detail).toContain("from 1 to 50 (the limit of the calling key");
    const unlimited = await harness.caller({ rateLimitPerMinute: "unlimited" });
    expect(await make(unlimited)).toMatchObject({ rate_limit_per_minute: null });
    expect(await make(unlimited, { rate_limit_per_minute: 5_000 })).toMatchObject({
      rate_limit_per_minute: 5_000,
    });
  });

  it("shows a retry the same key, of which nothing is stored", async () => {
    const send = (label: string) =>
      owner.post("/api-keys", { label }).set("Idempotency-Key", "once").expect(201);
    const answers = await Promise.all([send("twice"), send("twice"), send("twice")]);
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    const text: string = answers[0]?.body.key;
    expect(await statusOf(text)).toBe(200);
    expect((await list(owner)).filter(({ label }) => label === "twice")).toHaveLength(1);
    const stored = await harness.management.database.idempotencyKey.findMany();
    expect(JSON.stringify(stored)).not.toContain(text.slice(4));
    await owner.post("/api-keys", { label: "other" }).set("Idempotency-Key", "once").expect(409);
  });

  it("does not return it to a key with fewer scopes, nor with another secret", async () => {
    const send = (by: Caller) => by.post("/api-keys", { label: "same" }).set("Idempotency-Key", "scoped");
    await send(owner).expect(201);
    expect((await send(await limited(owner, ["developer"])).expect(403)).body.detail).toContain("serving");
    const { database } = harness.management;
    await database.$executeRaw`
      UPDATE idempotency_keys SET response = jsonb_set(response::jsonb, '{seed}', '"of another secret"')
      WHERE account_id = ${owner.accountId} AND key = 'scoped'`;
    expect((await send(owner).expect(409)).body.detail).toContain("/rotate");
  });

  it("stops at 100 keys in force, also from requests at the same time", async () => {
    const full = await harness.caller();
    const rows = Array.from({ length: 97 }, (_, n) => ({
      id: `key_${n}${full.accountId.slice(5)}`,
      accountId: full.accountId,
      sha256: n.toString(16).padStart(64, "0"),
      prefix: "igk_",
      label: "x",
      scopes: ["serving" as const],
    }));
    const ended = [
      { ...rows[0], id: "key_ended1", sha256: "e1".padStart(64, "0"), revokedAt: new Date() },
      { ...rows[0], id: "key_ended2", sha256: "e2".padStart(64, "0"), expiresAt: new Date() },
    ];
    await harness.management.database.apiKey.createMany({ data: [...rows, ...ended] as typeof rows });
    const answers = await Promise.all([1, 2, 3, 4].map(() => full.post("/api-keys", { label: "x" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    expect(await list(full)).toHaveLength(100);
    const [first] = await list(full);
    // The old key would still be there.
    await full.post(`/api-keys/${first?.id}/rotate`, {}).expect(422);
    await full.post(`/api-keys/${first?.id}/rotate`, { overlap_seconds: 0 }).expect(201);
  });

  it("stops at 1000 stored keys, and forgets those that ended more than 30 days ago", async () => {
    const full = await harness.caller();
    const { database } = harness.management;
    const nowMs = Date.now();
    const endedRows = Array.from({ length: 999 }, (_, n) => ({
      id: `key_e${n}${full.accountId.slice(5)}`,
      accountId: full.accountId,
      sha256: `a${n.toString(16).padStart(63, "0")}`,
      prefix: "igk_",
      label: "x",
      scopes: ["serving" as const],
      publishedVersion: 1,
      revokedAt: new Date(nowMs - 29 * DAY_MS),
    }));
    await database.apiKey.createMany({ data: endedRows });
    const refused = await full.post("/api-keys", { label: "x" }).expect(422);
    expect(refused.body.detail).toContain("at most 1000 API keys");
    await database.apiKey.updateMany({
      where: { id: { in: endedRows.slice(0, 3).map(({ id }) => id) } },
      data: { revokedAt: new Date(nowMs - 31 * DAY_MS) },
    });
    await eventually(
      async () => (await database.apiKey.count({ where: { accountId: full.accountId } })) === 997,
    );
    await full.post("/api-keys", { label: "x" }).expect(201);
  });

  it("leaves nothing behind for a key that was revoked while it waited", async () => {
    const thief = await limited(owner, ["advertiser", "developer"]);
    const [{ id: keyId } = { id: "" }] = (await list(owner)).slice(-1);
    let waiting: Promise<number> | undefined;
    await inTransaction(harness.management.database, async (transaction) => {
      await transaction.$queryRaw`SELECT id FROM accounts WHERE id = ${owner.accountId} FOR UPDATE`;
      waiting = thief.post("/api-keys", { label: "stolen" }).then(({ status }) => status);
      await eventually(async () => {
        const [blocked] = await transaction.$queryRaw<{ count: bigint }[]>`
          SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return blocked?.count === 1n;
      });
      await transaction.apiKey.update({ where: { id: keyId }, data: { revokedAt: new Date() } });
    });
    expect(await waiting).toBe(401);
    expect((await list(owner)).map(({ label }) => label)).not.toContain("stolen");
  });
});

describe("GET /api-keys", () => {
  it("lists the account's keys in force in order of creation, by pages, never their text", async () => {
    const account = await harness.caller({ label: "first", rateLimitPerMinute: "unlimited" });
    const second = await make(account, { label: "second" });
    const keys = await list(account);
    expect(keys.map(({ label }) => label)).toEqual(["first", "second"]);
    expect(keys[0]).toMatchObject({ rate_limit_per_minute: 2_147_483_647, last_used_at: expect.any(String) });
    for (const key of keys) expect(validator(apiKeySchema)(key)).toEqual(key);
    expect(JSON.stringify(keys)).not.toContain(second.key);
    expect(JSON.stringify(keys)).not.toContain(account.key);
    const page = await account.get("/api-keys?limit=1").expect(200);
    const next = /^<\/api(.*)>/.exec(page.headers.link ?? "")?.[1] ?? "";
    expect((await account.get(next).expect(200)).body).toEqual(keys.slice(1));
    await account.get("/api-keys?cursor=x").expect(400);
  });
});

describe("who may manage keys", () => {
  const calls: [string, (by: Caller, id: string) => Test][] = [
    ["POST", (by) => by.post("/api-keys", { label: "x" })],
    ["GET", (by) => by.get("/api-keys")],
    ["rotate", (by, id) => by.post(`/api-keys/${id}/rotate`, { overlap_seconds: 1 })],
    ["DELETE", (by, id) => by.delete(`/api-keys/${id}`)],
  ];
  it.each(calls)("%s is 403 for a key that only serves", async (_name, call) => {
    const serving = await limited(owner, ["serving"]);
    const answer = await call(serving, (await list(owner))[0]?.id ?? "").expect(403);
    expect(answer.body.detail).toContain('"advertiser" or "developer"');
  });

  it.each(calls.slice(2))("%s is 404 for an unknown key, 403 for another account's", async (_name, call) => {
    const stranger = await harness.caller();
    const { id } = await make(owner);
    await call(stranger, id).expect(403);
    await call(owner, "key_00000000000000000000000000").expect(404);
    await call(owner, "nothing").expect(404);
    expect((await list(owner)).map((key) => key.id)).toContain(id);
  });

  it.each(calls.slice(2))("%s is 403 for a key that has fewer scopes than the other", async (_name, call) => {
    const developer = await limited(owner, ["developer"]);
    const { id } = await make(owner, { scopes: ["developer", "serving"] });
    const answer = await call(developer, id).expect(403);
    expect(answer.body.detail).toContain('"serving"');
    const equal = await make(owner, { scopes: ["developer"] });
    expect((await call(developer, equal.id)).status).toBeLessThan(300);
  });

  it("separates the keys of accounts", async () => {
    const { database } = harness.management;
    const other = await createAccountWithKey({ database }, { label: "other" });
    expect((await list(owner)).map(({ id }) => id)).not.toContain(other.keyId);
  });

  it("knows no other methods", async () => {
    expect((await owner.put("/api-keys", {}).expect(405)).headers.allow).toBe("POST, GET, HEAD");
    expect((await owner.get("/api-keys/key_0").expect(405)).headers.allow).toBe("DELETE");
    expect((await owner.get("/api-keys/key_0/rotate").expect(405)).headers.allow).toBe("POST");
  });
});
