import { newId } from "@diegetic/contracts";
import { afterBilling } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { activeCampaign, type Caller, type Harness, startHarness } from "../../testing/harness.ts";
import { charge, hold } from "../../testing/spending.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

/** An advertiser with a campaign, and what `hold` and `charge` need to spend its money. */
async function spendingOwner() {
  const owner = await harness.advertiser(100);
  const { advertiserId } = owner;
  const { campaignId, creativeId } = await activeCampaign(owner);
  const wallet = await harness.money.readCampaign(advertiserId, campaignId);
  const campaignVersion = wallet?.version ?? 0;
  const spending = { advertiserId, campaignId, creativeId, campaignVersion, priceMillicents: 500 };
  const impress = async () => {
    await hold(harness.money, spending);
    await charge(harness.money, spending);
  };
  return { owner, advertiserId, campaignId, impress };
}

describe("reads after writes", () => {
  it("wait for the billing worker, at most a second", async () => {
    const { owner, advertiserId, campaignId, impress } = await spendingOwner();
    const { database } = harness.management;
    const totals = { impressions: { increment: 1 }, spentMillicents: { increment: 500 } };
    let spentCents = 0;
    const readWhileWriting = async () => {
      const answer = owner.get("/profile").then((profile) => profile);
      await database.campaign.update({ where: { id: campaignId }, data: totals });
      await database.advertiser.update({ where: { id: advertiserId }, data: totals });
      return answer;
    };
    const { body } = await afterBilling(readWhileWriting, async () => {
      await impress();
      spentCents += 0.5;
    });
    expect(body.balance_cents).toBe(Math.floor(100 - spentCents));

    await impress();
    const late = await owner.get(`/campaigns/${campaignId}`).expect(200);
    expect(late.body.spent_cents).toBe(Math.ceil(spentCents));
  });

  describe("count what the wallet counts", () => {
    const MAX_WAIT_MS = 1_000;
    const tookMs = async (owner: Caller) => {
      const startedMs = performance.now();
      await owner.get("/profile").expect(200);
      return performance.now() - startedMs;
    };
    const quarantine = (advertiserId: string, recoveryEpoch: bigint | null) =>
      harness.management.database.quarantinedImpression.create({
        data: { impressionId: newId("imp"), advertiserId, record: "{}", reason: "x", recoveryEpoch },
      });

    it("not a record that was quarantined under an earlier epoch, or that the wallet forgets", async () => {
      const { owner, advertiserId, impress } = await spendingOwner();
      await quarantine(advertiserId, 0n);
      await quarantine(advertiserId, null);
      await impress();
      expect(await tookMs(owner)).toBeGreaterThanOrEqual(MAX_WAIT_MS);
    });

    it("does not wait for a record quarantined in the current epoch", async () => {
      const { owner, advertiserId, impress } = await spendingOwner();
      await impress();
      const { database } = harness.management;
      const { recoveryEpoch } = await database.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
      expect(recoveryEpoch).toBeGreaterThan(0n);
      await quarantine(advertiserId, recoveryEpoch);
      await eventually(async () => (await tookMs(owner)) < MAX_WAIT_MS);
    });

    it("does not count a pending late charge", async () => {
      const { owner, advertiserId, campaignId, impress } = await spendingOwner();
      await impress();
      const { database } = harness.management;
      await database.advertiser.update({
        where: { id: advertiserId },
        data: { impressions: 1, spentMillicents: 500 },
      });
      await database.walletSettlement.create({
        data: {
          impressionId: newId("imp"),
          kind: "late",
          advertiserId,
          campaignId,
          gameId: "game",
          matchId: newId("mat"),
          priceMillicents: 500n,
          day: new Date(),
          committedInEpoch: 0n,
        },
      });
      expect(await tookMs(owner)).toBeGreaterThanOrEqual(MAX_WAIT_MS);
    });
  });
});
