import { newId } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTestRedis, type TestRedis } from "../../../../tests/helpers/redis.ts";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { advertiserKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import type { FrozenSlot, RestoredCampaign } from "./recovery-types.ts";
import { TestSlot } from "./testing/slot.ts";

/** More keys than fit on the stack of a script. */
const MANY_CAMPAIGNS = 10_000;

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: "recovery-test" });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** As a restart of its server leaves a slot. */
async function doubt(slot: TestSlot): Promise<FrozenSlot> {
  await redis.hset(advertiserKeys.account(slot.advertiserId), "lineage", "another");
  const found = await slot.money.freezeUnlessLive(slot.advertiserId, 0);
  if (found.state !== "frozen") throw new Error("the slot is live");
  return found;
}

describe("restoreSlot", () => {
  it("lets a slot go on that got a campaign while it was frozen", async () => {
    const slot = await TestSlot.open(createMoneyCommands(redis), redis);
    await slot.hold();
    const found = await doubt(slot);
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
      await slot.money.restoreSlot({
        advertiserId: slot.advertiserId,
        found,
        epoch: 1,
        forgetMatches: false,
        version: 1,
        depositedMillicents: 1_000_000,
        spentMillicents: 0,
        impressions: 0,
        settledMarks: [],
        campaigns: [slot.campaignId, added].map((campaignId) => ({ ...campaign, campaignId })),
      }),
    ).toBe("restored");
    await slot.hold({ campaign_id: added });
    expect(await slot.money.readCampaign(slot.advertiserId, added)).toMatchObject({ heldMillicents: 1_000 });
    expect(await slot.totals()).toMatchObject({
      account: { heldMillicents: 2_000 },
      campaign: { heldMillicents: 1_000 },
    });
  });

  it("restores a slot of very many campaigns, and refuses more", async () => {
    const money = createMoneyCommands(redis);
    const advertiserId = newId("adv");
    const found = await money.freezeUnlessLive(advertiserId, 0);
    if (found.state !== "frozen") throw new Error("a slot that was never made is live");
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
      advertiserId,
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
    await expect(money.restoreSlot({ ...request, campaigns: [...campaigns, one] })).rejects.toThrow(
      "at most 10000",
    );
    expect(await money.restoreSlot(request)).toBe("restored");
    expect(await money.readCampaign(advertiserId, `camp_${MANY_CAMPAIGNS - 1}`)).toMatchObject({
      budgetMillicents: 1_000 + MANY_CAMPAIGNS - 1,
      spentMillicents: 500,
    });
    expect(await money.readAccount(advertiserId)).toMatchObject({ spentMillicents: 500, epoch: 1 });
  });
});
