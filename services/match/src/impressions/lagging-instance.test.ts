import { entityName, newId, type SnapshotPlacement } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { type StallingProxy, startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { World } from "../testing/world.fixture.ts";

let redis: TestRedis;
let proxy: StallingProxy;
let world: World;
beforeAll(async () => {
  redis = await startTestRedis();
  const address = new URL(redis.url);
  proxy = await startStallingProxy(Number(address.port));
  address.port = String(proxy.port);
  world = await World.open(redis.url);
  await world.startInstance();
  await world.startInstance({ REDIS_URL: address.href });
});
afterAll(async () => {
  proxy.resume();
  await world.close();
  await proxy.stop();
  await redis.stop();
});
beforeEach(() => world.reset());

it("bills what another instance matched for a campaign that this one has not heard of", async () => {
  const game = await world.addGame();
  const campaign = await world.addCampaign({ walletOnly: true });
  const { advertiser_id, campaign_id, version } = campaign;
  const advertiser = { advertiser_id, account_id: "acct_adv", version };
  await expectBilled(game, [
    { name: entityName.advertiser(advertiser_id), rowVersion: version, json: JSON.stringify(advertiser) },
    { name: entityName.campaign(campaign_id), rowVersion: version, json: JSON.stringify(campaign) },
  ]);
});

it("bills what another instance matched for a game that this one has not heard of", async () => {
  const known = await world.addGame();
  await world.addCampaign();
  const game = { ...known, game_id: newId("key") };
  const name = entityName.placement(game.game_id);
  await expectBilled(game, [{ name, rowVersion: game.version, json: JSON.stringify(game) }]);
});

/** While the second instance hears nothing, the first one learns these entries and matches. */
async function expectBilled(
  game: SnapshotPlacement,
  entries: Parameters<World["publisher"]["publish"]>[0],
): Promise<void> {
  proxy.stall();
  await world.publisher.publish(entries);
  const match = await eventually(async () => {
    const { status, body } = await world.match(game);
    return status === 200 && body;
  });
  const impression = world.impression(game, match, { instance: 1 }).then(({ status }) => status);
  proxy.resume();
  expect(await impression).toBe(201);
}
