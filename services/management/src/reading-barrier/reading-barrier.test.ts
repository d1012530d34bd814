import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { activeCampaign, type Harness, startHarness } from "../testing/harness.ts";
import { charge, hold } from "../testing/spending.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
}, 60_000);
afterAll(() => harness.stop());

describe("reads after writes", () => {
  it("wait for the billing worker, at most a second", async () => {
    const owner = await harness.advertiser(100);
    const { campaignId, creativeId } = await activeCampaign(owner);
    const slot = await harness.money.readCampaign(owner.advertiserId, campaignId);
    const campaignVersion = slot?.version ?? 0;
    const spending = {
      advertiserId: owner.advertiserId,
      campaignId,
      creativeId,
      campaignVersion,
      priceMillicents: 500,
    };
    await hold(harness.money, spending);
    await charge(harness.money, spending);
    const { database } = harness.management;
    const totals = { impressions: { increment: 1 }, spentMillicents: { increment: 500 } };
    const answer = owner.get("/profile").then((profile) => profile);
    await database.campaign.update({ where: { id: campaignId }, data: totals });
    await database.advertiser.update({ where: { id: owner.advertiserId }, data: totals });
    expect((await answer).body.balance_cents).toBe(99);

    await hold(harness.money, spending);
    await charge(harness.money, spending);
    const late = await owner.get(`/campaigns/${campaignId}`).expect(200);
    expect(late.body.spent_cents).toBe(1);
  }, 20_000);
});
