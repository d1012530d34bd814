import { newId } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTestRedis, type TestRedis } from "../../../../tests/helpers/redis.ts";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { createMoneyCommands } from "./commands.ts";
import type { RestoredCampaign } from "./types.ts";

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

describe("restoreSlot", () => {
  it("restores a slot of very many campaigns, and refuses more", async () => {
    const money = createMoneyCommands(redis);
    const advertiserId = newId("adv");
    const found = await money.freezeUnlessLive(advertiserId, 0);
    if (found.state === "live") throw new Error("a slot that was never made is live");
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
      day: found.day,
      countedImpressionIds: ["imp_1"],
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
