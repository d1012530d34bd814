import { createDatabase } from "@diegetic/database";
import { createAccountWithKey } from "@diegetic/management";
import { type Api, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { World } from "../faults/topology/world.ts";

const TIMEOUT_MS = 300_000;
const GAME = "quiet-game";
/** Longer than the longest time-out of a command or statement, and far shorter than what TCP itself takes to notice. */
const NOTICED = { timeoutMs: 60_000, everyMs: 100 };

let world: World;
let advertiser: Api;

beforeAll(async () => {
  world = await World.start({ variant: "single", holdTtlSeconds: 600, sessionIdleSeconds: 1_800 });
  const database = createDatabase(world.postgres.url, { poolSize: 1, applicationName: "silent" });
  const options = { label: "silent", rateLimitPerMinute: "unlimited" as const };
  const { key } = await createAccountWithKey({ database }, options);
  await database.$disconnect();
  advertiser = apiClient(world.baseUrl, key);
  await enableGame(advertiser, GAME);
  await startCampaign(advertiser, { depositCents: 100_000, budgetCents: 100_000, cpmBidCents: 100 });
  await eventually(async () => (await impression("first")) !== null, NOTICED);
}, TIMEOUT_MS);
afterAll(async () => {
  await world?.stop();
}, TIMEOUT_MS);

/** The id of an impression that was answered 201. */
async function impression(player: string): Promise<string | null> {
  const request = { game_id: GAME, user_id: player, game_context: {} };
  const match = await advertiser.request("POST", "/match", request);
  if (match.status !== 200) return null;
  const { match_id, campaign_id, creative_id } = match.body;
  const seen = { match_id, campaign_id, creative_id, game_id: GAME };
  const { status, body } = await advertiser.request("POST", "/impressions", seen);
  return status === 201 ? body.impression_id : null;
}

async function isWritten(impressionId: string): Promise<boolean> {
  const sql = "SELECT 1 FROM impressions WHERE impression_id = $1";
  return (await world.query(sql, [impressionId])).length === 1;
}

it.each([
  ["Redis", () => world.redis.proxies],
  ["Postgres", () => [world.postgresProxy]],
])(
  "everything goes on when connections to %s never hear anything again",
  async (store, proxies) => {
    const open = proxies().map((proxy) => proxy.silence());
    const count = () => open.reduce((sum, stillOpen) => sum + stillOpen(), 0);
    const before = count();
    expect(before).toBeGreaterThan(0);
    const id = await eventually(() => impression(`player of ${store}`), NOTICED);
    await eventually(async () => (await advertiser.request("GET", "/profile")).status === 200, NOTICED);
    await eventually(() => isWritten(id), NOTICED);
    // A connection without pending requests, such as a listener whose data is also polled, need not notice.
    expect(count()).toBeLessThan(before);
  },
  TIMEOUT_MS,
);
