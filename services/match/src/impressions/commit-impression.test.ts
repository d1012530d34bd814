import { newId } from "@diegetic/contracts";
import { connectRedis, createMoneyCommands, createSliceGrants, DueIndex } from "@diegetic/hot-state";
import { createLogger } from "@diegetic/service-kit";
import { openWallet } from "@diegetic/testing/open-wallet";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterEach, expect, it } from "@jest/globals";
import { Catalog } from "../catalog/catalog.ts";
import { commitImpression } from "./commit-impression.ts";
import { ImpressionBatcher } from "./impression-batcher.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

it("answers a charge although the node of the index of due outboxes is unavailable", async () => {
  const server = await startTestRedis();
  const redis = connectTestRedis(server.url);
  const withoutNode = connectRedis("redis://127.0.0.1:1", { name: "commit-test" });
  closers.push(
    () => withoutNode.disconnect(),
    () => redis.disconnect(),
    () => server.stop(),
  );
  const money = createMoneyCommands(redis);
  const [advertiserId, campaignId, creativeId, gameId] = [newId("adv"), newId("camp"), newId("crt"), "game"];
  await openWallet(money, { advertiserId, version: 1, depositedMillicents: 10_000 });
  await money.applyCampaign({
    advertiserId,
    campaignId,
    version: 1,
    status: "active",
    budgetMillicents: 10_000,
    dailyCapMillicents: null,
    seed: { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 },
  });
  const match = {
    match_id: newId("mat"),
    advertiser_id: advertiserId,
    campaign_id: campaignId,
    campaign_version: 1,
    game_id: gameId,
    developer_account_id: "acct",
    user_hash: "user",
    session_key: newId("key"),
    country_code: null,
    affinity_score: 0,
    affinities: [],
    price_millicents: 1_000,
    revenue_share_basis_points: 7_000,
    matched_at_ms: Date.now(),
  };
  const reservation = await money.reserve({
    match,
    campaignVersion: 1,
    holdTtlMs: 60_000,
    sessionStartedMs: null,
    sessionIdleMs: 60_000,
    creatives: [{ creativeId, maxUses: 1, rotatesHooks: false }],
  });
  expect(reservation.outcome).toBe("held");
  const logger = createLogger({ service: "match", instance: "test", level: "silent" });
  const queued: string[] = [];
  const batcher = new ImpressionBatcher({
    producer: { add: async (records) => void queued.push(...records.map((one) => one.match.match_id)) },
    logger,
    count: () => undefined,
  });
  const dependencies = {
    catalog: new Catalog(1),
    money,
    grants: createSliceGrants(redis),
    due: new DueIndex(withoutNode),
    logger,
    nowMs: Date.now,
    batcher,
  };
  const request = { advertiserId, campaignId, gameId, creativeId, operationId: newId("op"), matchId: null };
  expect(await commitImpression(dependencies, request)).toMatchObject({ outcome: "charged" });
  await batcher.flush();
  expect(queued).toEqual([match.match_id]);
});
