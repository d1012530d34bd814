import { newId } from "@diegetic/contracts";
import { TEST_CLAIM } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import type { FrozenWallet, RestoredCampaign } from "./recovery-types.ts";
import { TestWallet } from "./testing/wallet.ts";

/** More keys than fit on the stack of a script. */
const MANY_CAMPAIGNS = 10_000;

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** As a restart of its server leaves a wallet. */
async function doubt(wallet: TestWallet): Promise<FrozenWallet> {
  await redis.hset(walletKeys.account(wallet.advertiserId), "lineage", "another");
  const found = await wallet.money.freezeUnlessLive(wallet.advertiserId, 0, TEST_CLAIM);
  if (found.state !== "frozen") throw new Error("the wallet is live");
  return found;
}

describe("restoreWallet", () => {
  it("lets a wallet go on that got a campaign while it was frozen", async () => {
    const wallet = await TestWallet.open(createMoneyCommands(redis), redis);
    await wallet.hold();
    const found = await doubt(wallet);
    const campaign = {
      version: 1,
      status: "active" as const,
      budgetMillicents: 10_000,
      dailyCapMillicents: null,
      spentMillicents: 0,
      impressions: 0,
      day: found.day,
      daySpentMillicents: 0,
    };
    const added = newId("camp");
    expect(
      await wallet.money.restoreWallet({
        walletId: wallet.advertiserId,
        found,
        epoch: 1,
        forgetMatches: false,
        version: 1,
        depositedMillicents: 1_000_000,
        spentMillicents: 0,
        impressions: 0,
        settledMarks: [],
        campaigns: [wallet.campaignId, added].map((campaignId) => ({ ...campaign, campaignId })),
      }),
    ).toBe("restored");
    await wallet.hold({ campaign_id: added });
    expect(await wallet.money.readCampaign(wallet.advertiserId, added)).toMatchObject({
      heldMillicents: 1_000,
    });
    expect(await wallet.totals()).toMatchObject({
      account: { heldMillicents: 2_000 },
      campaign: { heldMillicents: 1_000 },
    });
  });

  it("restores a wallet of very many campaigns, and refuses more", async () => {
    const money = createMoneyCommands(redis);
    const advertiserId = newId("adv");
    const found = await money.freezeUnlessLive(advertiserId, 0, TEST_CLAIM);
    if (found.state !== "frozen") throw new Error("a wallet that was never made is live");
    const campaigns = Array.from(
      { length: MANY_CAMPAIGNS },
      (_, n): RestoredCampaign => ({
        campaignId: `camp_${n}`,
        version: 1,
        status: "active",
        budgetMillicents: 1_000 + n,
        dailyCapMillicents: null,
        spentMillicents: n === MANY_CAMPAIGNS - 1 ? 500 : 0,
        impressions: 0,
        day: found.day,
        daySpentMillicents: 0,
      }),
    );
    const request = {
      walletId: advertiserId,
      found,
      epoch: 1,
      forgetMatches: true,
      version: 1,
      depositedMillicents: 1_000_000,
      spentMillicents: 500,
      impressions: 1,
      settledMarks: ["imp_1"],
      campaigns,
    };
    const [one] = campaigns;
    if (one === undefined) throw new Error("there are no campaigns");
    await expect(money.restoreWallet({ ...request, campaigns: [...campaigns, one] })).rejects.toThrow(
      "at most 10000",
    );
    expect(await money.restoreWallet(request)).toBe("restored");
    expect(await money.readCampaign(advertiserId, `camp_${MANY_CAMPAIGNS - 1}`)).toMatchObject({
      budgetMillicents: 1_000 + MANY_CAMPAIGNS - 1,
      spentMillicents: 500,
    });
    expect(await money.readAccount(advertiserId)).toMatchObject({ spentMillicents: 500, epoch: 1 });
  });
});

describe("freezeUnlessLive", () => {
  const always = { ...TEST_CLAIM, freezes: "always" as const };

  it("says of a live wallet that it served until it was frozen, also when it is frozen again", async () => {
    const wallet = await TestWallet.open(createMoneyCommands(redis), redis);
    const first = await wallet.money.freezeUnlessLive(wallet.advertiserId, 0, always);
    expect(first).toMatchObject({ state: "frozen", servedUntilFrozen: true });
    // Meanwhile a restore may have begun an epoch in Postgres.
    const again = await wallet.money.freezeUnlessLive(wallet.advertiserId, 5, always);
    expect(again).toMatchObject({ state: "frozen", servedUntilFrozen: true });
  });

  it.each([
    ["another server", 0],
    ["another epoch", 1],
  ])("does not say so of a wallet of %s", async (doubted, epoch) => {
    const wallet = await TestWallet.open(createMoneyCommands(redis), redis);
    if (doubted === "another server") {
      await redis.hset(walletKeys.account(wallet.advertiserId), "lineage", "served until frozen another");
    }
    const found = await wallet.money.freezeUnlessLive(wallet.advertiserId, epoch, always);
    expect(found).toMatchObject({ state: "frozen", servedUntilFrozen: false });
  });
});
