import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Market, startMarket } from "./two-match-instances.fixture.ts";

/** No campaign is there: a key that may serve is answered 204. */
const SERVES = [204, 204];
const REFUSED = [401, 401];

let market: Market;
let gameKey: string;
let players = 0;
beforeAll(async () => {
  market = await startMarket();
  gameKey = await market.newKey();
  const placement = { creator_id: "c", placement_types: ["narrative_hook"] };
  await market.manage(gameKey)("post", "/placements/game", placement).expect(201);
});
afterAll(() => market.stop());

describe("API keys on every match instance", () => {
  const statuses = async (key: string) =>
    (await market.match(key, { game_id: "game", user_id: `p${players++}`, game_context: {} })).map(
      ({ status }) => status,
    );

  it("serve from their creation on, until they are revoked or rotated out", async () => {
    const developer = market.manage(gameKey);
    const server = { label: "game server", scopes: ["serving"] };
    const { id, key } = (await developer("post", "/api-keys", server).expect(201)).body;
    expect(await statuses(key)).toEqual(SERVES);
    await market.manage(key)("get", "/api-keys").expect(403);
    const rotated = (await developer("post", `/api-keys/${id}/rotate`, {}).expect(201)).body;
    expect([await statuses(key), await statuses(rotated.key)]).toEqual([SERVES, SERVES]);
    await developer("delete", `/api-keys/${id}`).expect(204);
    expect([await statuses(key), await statuses(rotated.key)]).toEqual([REFUSED, SERVES]);
    const at0 = { overlap_seconds: 0 };
    const last = (await developer("post", `/api-keys/${rotated.id}/rotate`, at0).expect(201)).body;
    expect([await statuses(rotated.key), await statuses(last.key)]).toEqual([REFUSED, SERVES]);
  });

  it("say when they were last used, also when they only serve", async () => {
    const developer = market.manage(gameKey);
    const { id, key } = (await developer("post", "/api-keys", { label: "seen", scopes: ["serving"] })).body;
    const lastUsed = async () =>
      (await developer("get", "/api-keys").expect(200)).body.find((one: { id: string }) => one.id === id)
        .last_used_at;
    expect(await lastUsed()).toBeNull();
    const before = Date.now();
    await statuses(key);
    await eventually(async () => (await lastUsed()) !== null, { timeoutMs: 60_000, everyMs: 200 });
    expect(Date.parse(await lastUsed())).toBeGreaterThanOrEqual(before);
  });

  it("serve only with the scope for it", async () => {
    const made = await market.manage(gameKey)("post", "/api-keys", { label: "x", scopes: ["developer"] });
    expect(await statuses(made.body.key)).toEqual([403, 403]);
  });
});
