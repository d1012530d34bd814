import { MAX_CAMPAIGNS } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { campaignBody, type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

describe("an advertiser with as many campaigns as allowed", () => {
  it("gets no more, also by requests at the same time, and comes back when Redis has lost all of them", async () => {
    const { management, money, redis } = harness;
    const owner = await harness.advertiser(1_000);
    const { advertiserId } = owner;
    const first = (await owner.post("/campaigns", campaignBody).expect(201)).body.id as string;
    // Published: only the wallet is to be restored here.
    await management.database.$executeRaw`
      INSERT INTO campaigns (id, advertiser_id, name, budget_cents, cpm_bid_cents, spent_millicents, version,
        published_version)
      SELECT 'camp_' || lpad(n::text, 26, '0'), ${advertiserId}, 'many', 1000, 500, 0, 1, 1
      FROM generate_series(1, ${MAX_CAMPAIGNS - 2}) AS n`;
    const answers = await Promise.all([1, 2, 3].map(() => owner.post("/campaigns", campaignBody)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.body.detail).toContain(`at most ${MAX_CAMPAIGNS} campaigns`);

    await redis.flushall();
    await management.repairLoop.round();
    expect(await money.readAccount(advertiserId)).toMatchObject({ depositedMillicents: 1_000_000 });
    const last = `camp_${String(MAX_CAMPAIGNS - 2).padStart(26, "0")}`;
    for (const campaignId of [first, last]) {
      expect(await money.readCampaign(advertiserId, campaignId)).toMatchObject({ status: "draft" });
    }
    expect(await redis.keys(`{${advertiserId}}:campaign:*`)).toHaveLength(MAX_CAMPAIGNS);
  });
});
