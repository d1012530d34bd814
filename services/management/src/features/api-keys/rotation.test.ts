import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { signedUp } from "../../testing/browser.ts";
import { type Caller, type Harness, startHarness } from "../../testing/harness.ts";

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
const make = async (by: Caller): Promise<{ id: string; key: string }> =>
  (await by.post("/api-keys", { label: "made" }).expect(201)).body;
const list = async (by: Caller): Promise<{ id: string; expires_at: string | null }[]> =>
  (await by.get("/api-keys").expect(200)).body;

describe("POST /api-keys/{id}/rotate", () => {
  it("gives a new key of the same label, scopes and limit; the old one is valid for a day", async () => {
    const account = await harness.caller({ label: "server", scopes: ["developer"], rateLimitPerMinute: 70 });
    const [old] = await list(account);
    const before = Date.now();
    const { body } = await account.post(`/api-keys/${old?.id}/rotate`).expect(201);
    expect(body).toMatchObject({ label: "server", scopes: ["developer"], rate_limit_per_minute: 70 });
    expect([body.expires_at, body.id === old?.id, body.key === account.key]).toEqual([null, false, false]);
    expect([await statusOf(account.key), await statusOf(body.key)]).toEqual([200, 200]);
    const [first, second] = await list(account);
    const overlapMs = Date.parse(first?.expires_at ?? "") - before;
    expect(overlapMs).toBeGreaterThanOrEqual(86_400_000);
    expect(overlapMs).toBeLessThan(86_400_000 + 60_000);
    expect(second?.id).toBe(body.id);
  });

  it("gives a key that continues the window of the old one", async () => {
    for (;;) {
      const account = await harness.caller({ rateLimitPerMinute: 6 });
      const listed = await account.get("/api-keys").expect(200);
      const first = await account.post(`/api-keys/${listed.body[0].id}/rotate`).expect(201);
      const successor = harness.callerWith(account.accountId, first.body.key);
      const second = await successor.post(`/api-keys/${first.body.id}/rotate`).expect(201);
      const last = harness.callerWith(account.accountId, second.body.key);
      const answers = [listed, first, second];
      for (let n = 0; n < 4; n += 1) answers.push(await last.get("/api-keys"));
      // The minute may have ended meanwhile: then all of it again.
      if (new Set(answers.map(({ headers }) => headers["x-ratelimit-reset"])).size > 1) continue;
      expect(answers.map(({ status, headers }) => [status, headers["x-ratelimit-remaining"]])).toEqual([
        [200, "5"],
        [201, "4"],
        [201, "3"],
        [200, "2"],
        [200, "1"],
        [200, "0"],
        [429, "0"],
      ]);
      return;
    }
  });

  it("gives no key with a higher limit than the calling one; an owner's session gives it", async () => {
    const unlimited = await harness.caller({ rateLimitPerMinute: "unlimited" });
    const [own] = await list(unlimited);
    const rotateBy = (by: Caller) => by.post(`/api-keys/${own?.id}/rotate`).set("Idempotency-Key", "once");
    for (const limit of [{ rate_limit_per_minute: 5 }, {}]) {
      const made = await unlimited.post("/api-keys", { label: "game", ...limit }).expect(201);
      const limited = harness.callerWith(unlimited.accountId, made.body.key);
      const refused = await rotateBy(limited).expect(403);
      expect(refused.body.detail).toContain("may make more requests");
      expect(await list(limited)).toContainEqual(expect.objectContaining({ id: own?.id, expires_at: null }));
    }
    const rotated = await rotateBy(unlimited).expect(201);
    const faster = await harness.caller({ rateLimitPerMinute: 5_000 });
    const slower = harness.callerWith(
      faster.accountId,
      (await faster.post("/api-keys", { label: "slow", rate_limit_per_minute: 5 }).expect(201)).body.key,
    );
    const create = (by: Caller) => by.post("/api-keys", { label: "new" }).set("Idempotency-Key", "once");
    await create(faster).expect(201);
    // The stored answer of a retry has the same secret.
    await create(slower).expect(403);
    const browser = await signedUp(harness);
    const { database, publishing } = harness.management;
    const { id } = (await browser.post("/api-keys", { label: "server" }).expect(201)).body;
    await database.apiKey.update({ where: { id }, data: { rateLimitPerMinute: -1 } });
    await publishing.publishAndWait("apiKey", id);
    const renewed = await browser.post(`/api-keys/${id}/rotate`).expect(201);
    expect(renewed.body.rate_limit_per_minute).toBe(rotated.body.rate_limit_per_minute);
  });

  it("keeps even no limit, which a creating key could not give", async () => {
    const account = await harness.caller({ rateLimitPerMinute: "unlimited" });
    const [old] = await list(account);
    const { body } = await account.post(`/api-keys/${old?.id}/rotate`, {}).expect(201);
    expect(body.rate_limit_per_minute).toBe(2_147_483_647);
  });

  it("ends the old key at once with overlap_seconds 0, and after the overlap otherwise", async () => {
    const { id, key } = await make(owner);
    const answer = await owner.post(`/api-keys/${id}/rotate`, { overlap_seconds: 0 }).expect(201);
    expect([await statusOf(key), await statusOf(answer.body.key)]).toEqual([401, 200]);
    await owner.post(`/api-keys/${id}/rotate`, {}).expect(404);
    const again = await owner.post(`/api-keys/${answer.body.id}/rotate`, { overlap_seconds: 1 }).expect(201);
    await eventually(async () => (await statusOf(answer.body.key)) === 401);
    expect(await statusOf(again.body.key)).toBe(200);
    await owner.post(`/api-keys/${answer.body.id}/rotate`, {}).expect(404);
  });

  it("never lengthens the life of a key", async () => {
    const { id } = await make(owner);
    await owner.post(`/api-keys/${id}/rotate`, { overlap_seconds: 60 }).expect(201);
    const endsAt = async () => (await list(owner)).find((key) => key.id === id)?.expires_at;
    const first = await endsAt();
    await owner.post(`/api-keys/${id}/rotate`, { overlap_seconds: 2_592_000 }).expect(201);
    expect(await endsAt()).toBe(first);
  });

  const refused: [string, unknown, number, string][] = [
    ["a negative overlap", { overlap_seconds: -1 }, 422, "from 0 to 2592000"],
    ["more than 30 days", { overlap_seconds: 2_592_001 }, 422, "from 0 to 2592000"],
    ["an overlap as text", { overlap_seconds: "day" }, 400, "whole number"],
    ["half a second", { overlap_seconds: 0.5 }, 400, "whole number"],
    ["a list", [], 400, "JSON object"],
  ];
  it.each(refused)("refuses %s", async (_name, body, status, part) => {
    const [first] = await list(owner);
    const answer = await owner.post(`/api-keys/${first?.id}/rotate`, body).expect(status);
    expect(answer.body).toEqual({ detail: expect.stringContaining(part) });
  });

  it("rotates once per Idempotency-Key", async () => {
    const { id } = await make(owner);
    const send = () => owner.post(`/api-keys/${id}/rotate`).set("Idempotency-Key", "r").expect(201);
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
  });
});

describe("DELETE /api-keys/{id}", () => {
  it("revokes a key for the very next request; a second DELETE is 204, too", async () => {
    const { id, key } = await make(owner);
    expect(await statusOf(key)).toBe(200);
    expect((await owner.delete(`/api-keys/${id}`).expect(204)).text).toBe("");
    expect(await statusOf(key)).toBe(401);
    await owner.delete(`/api-keys/${id}`).expect(204);
    expect((await list(owner)).map((one) => one.id)).not.toContain(id);
    const row = await harness.management.database.apiKey.findUniqueOrThrow({ where: { id } });
    expect(row.publishedVersion).toBe(row.version);
  });

  it("revokes the calling key itself", async () => {
    const account = await harness.caller();
    const [own] = await list(account);
    await make(account);
    await account.delete(`/api-keys/${own?.id}`).expect(204);
    const refused = await account.get("/api-keys").expect(401);
    expect(refused.headers["www-authenticate"]).toBe("Bearer");
  });

  it("refuses to revoke the last key that manages an account without owners, whatever keys serve or are about to end", async () => {
    const account = await harness.caller();
    const [own] = await list(account);
    const serving = (await account.post("/api-keys", { label: "game", scopes: ["serving"] }).expect(201))
      .body;
    const refused = await account.delete(`/api-keys/${own?.id}`).expect(409);
    expect(refused.body.detail).toContain("create another by POST /api-keys");
    const next = (await account.post(`/api-keys/${own?.id}/rotate`, {}).expect(201)).body;
    await account.delete(`/api-keys/${next.id}`).expect(409);
    await account.delete(`/api-keys/${serving.id}`).expect(204);
    const successor = harness.callerWith(account.accountId, next.key);
    await successor.delete(`/api-keys/${own?.id}`).expect(204);
    await successor.delete(`/api-keys/${own?.id}`).expect(204);
    expect(await list(successor)).toHaveLength(1);
  });

  it("revokes the last key of an account whose owner can sign in, and create another", async () => {
    const browser = await signedUp(harness);
    const { id, key } = (await browser.post("/api-keys", { label: "leaked" }).expect(201)).body;
    expect(await statusOf(key)).toBe(200);
    await browser.delete(`/api-keys/${id}`).expect(204);
    expect(await statusOf(key)).toBe(401);
    const next = (await browser.post("/api-keys", { label: "next" }).expect(201)).body;
    const { accountId } = await harness.management.database.apiKey.findUniqueOrThrow({ where: { id } });
    await harness.callerWith(accountId, next.key).delete(`/api-keys/${next.id}`).expect(204);
    expect((await browser.get("/api-keys").expect(200)).body).toEqual([]);
  });

  it("leaves one of the last two that are revoked at the same time", async () => {
    const account = await harness.caller();
    const [own] = await list(account);
    const other = await make(account);
    const second = harness.callerWith(account.accountId, other.key);
    const answers = await Promise.all([
      account.delete(`/api-keys/${other.id}`),
      second.delete(`/api-keys/${own?.id}`),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    const left = await Promise.all([account.get("/api-keys"), second.get("/api-keys")]);
    expect(left.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});
