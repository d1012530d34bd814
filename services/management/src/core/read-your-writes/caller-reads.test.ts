import { afterBilling } from "@diegetic/testing/api";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { activeCampaign, type Harness, startHarness } from "../../testing/harness.ts";
import { charge, hold } from "../../testing/spending.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

/** An advertiser with a campaign of which an impression is on its way to Postgres. */
async function ownerWithImpression() {
  const owner = await harness.advertiser(100);
  const { advertiserId } = owner;
  const { campaignId, creativeId } = await activeCampaign(owner);
  const campaignVersion = (await harness.money.readCampaign(advertiserId, campaignId))?.version ?? 0;
  const spending = { advertiserId, campaignId, creativeId, campaignVersion, priceMillicents: 500 };
  await hold(harness.money, spending);
  await charge(harness.money, spending);
  const write = async () => {
    const { database } = harness.management;
    const data = { impressions: { increment: 1 }, spentMillicents: { increment: 500 } };
    await database.$transaction([
      database.campaign.update({ where: { id: campaignId }, data }),
      database.advertiser.update({ where: { id: advertiserId }, data }),
    ]);
  };
  return { owner, campaignId, write };
}

describe("reads of a caller's own data", () => {
  it.each([
    ["the first time", false],
    ["again", true],
  ])(
    "holds what was billed before, also when it is written while he waits: %s",
    async (_when, isKnown) => {
      let readWhileWriting: () => Promise<unknown[]> = () => Promise.reject(new Error("nobody owns it yet"));
      const [stats, pacing, revenue, ledger] = await afterBilling(
        () => readWhileWriting(),
        async () => {
          const { owner, campaignId, write } = await ownerWithImpression();
          if (isKnown) await owner.get("/revenue").expect(200);
          const ofCampaign = ["/stats", "/analytics/pacing"].map((path) => `/campaigns/${campaignId}${path}`);
          readWhileWriting = async () => {
            const answers = [...ofCampaign, "/revenue", "/ledger?days=1"].map((path) =>
              owner.get(path).then(({ body }) => body),
            );
            await write();
            return Promise.all(answers);
          };
        },
      );
      for (const answer of [stats, pacing]) expect(answer).toMatchObject({ spent_cents: 1 });
      expect(revenue).toMatchObject({ total_impressions: 1, campaigns: [{ impressions: 1 }] });
      expect(ledger).toMatchObject({ totals: { impressions: 1, spent_cents: 0.5 } });
    },
    300_000,
  );

  it("is refused to others, whatever they ask", async () => {
    const { campaignId } = await ownerWithImpression();
    const { owner: other, campaignId: own } = await ownerWithImpression();
    for (const path of ["/stats", "/analytics/daily?days=abc", "/analytics/creatives", "/analytics/pacing"]) {
      await other.get(`/campaigns/${campaignId}${path}`).expect(403);
      await other.get(`/campaigns/camp_none${path}`).expect(404);
      await other.get(`/campaigns/%00${path}`).expect(404);
    }
    await other.get(`/campaigns/${own}/analytics/daily?days=abc`).expect(400);
  });

  it("begins with the registration", async () => {
    const caller = await harness.caller();
    const paths = ["/revenue", "/ledger", "/ledger?days=abc", "/campaigns/camp_none/stats"];
    for (const path of paths) await caller.get(path).expect(403);
    const profile = { company_name: "Ember", contact_email: "begins@example.com" };
    await caller.post("/register", profile).expect(201);
    await caller.get("/revenue").expect(200, {
      total_spent_cents: 0,
      total_spent_millicents: 0,
      total_impressions: 0,
      active_campaigns: 0,
      balance_cents: 0,
      campaigns: [],
    });
    await caller.get("/campaigns/camp_none/stats").expect(404);
  });

  it("is another's game as little", async () => {
    const [developer, other] = [await harness.caller(), await harness.caller()];
    const placement = { creator_id: "c", placement_types: ["narrative_hook"] };
    await developer.post("/placements/own-game", placement).expect(201);
    await other.get("/creator-revenue/own-game").expect(403);
    await other.get("/creator-revenue/no-game").expect(404);
    await other.get("/creator-revenue/%00").expect(404);
    const { body } = await developer.get("/creator-revenue/own-game").expect(200);
    expect(body).toMatchObject({ game_id: "own-game", earned_cents: 0, top_advertisers: [] });
    expect(body.daily).toHaveLength(30);
  });
});
