import { connectRedis, createMoneyCommands, isRedisUnavailable } from "@diegetic/hot-state";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { activeCampaign, type Harness, startHarness } from "../../testing/harness.ts";
import { charge, hold } from "../../testing/spending.ts";
import { changeSettings } from "./change-settings.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
  // Only the rounds of a test undo anything.
  await harness.management.repairLoop.stop();
});
afterAll(() => harness.stop());

describe("lowering a budget", () => {
  async function spendingCampaign(budgetCents: number) {
    const owner = await harness.advertiser(100_000);
    const { campaignId, creativeId } = await activeCampaign(owner, { budget_cents: budgetCents });
    const wallet = await harness.money.readCampaign(owner.advertiserId, campaignId);
    const campaignVersion = wallet?.version ?? 0;
    const spending = {
      advertiserId: owner.advertiserId,
      campaignId,
      creativeId,
      campaignVersion,
      priceMillicents: 500,
    };
    return { owner, campaignId, spending };
  }
  const read = ({ advertiserId, campaignId }: { advertiserId: string; campaignId: string }) =>
    harness.money.readCampaign(advertiserId, campaignId);

  it("checks the wallet's spending before Postgres has it", async () => {
    const { owner, campaignId, spending } = await spendingCampaign(10);
    for (let n = 0; n < 5; n++) {
      await hold(harness.money, spending);
      await charge(harness.money, spending);
    }
    const refused = await owner.patch(`/campaigns/${campaignId}`, { budget_cents: 2 }).expect(422);
    expect(refused.body.detail).toContain("spent_cents is 3");
    expect(await read(spending)).toMatchObject({ budgetMillicents: 10_000, ceilingMillicents: null });
    const lowered = await owner.patch(`/campaigns/${campaignId}`, { budget_cents: 3 }).expect(200);
    expect(lowered.body.budget_cents).toBe(3);
    expect(await read(spending)).toMatchObject({ budgetMillicents: 3_000, ceilingMillicents: null });
  });

  it("never lets a concurrent charge pass the budget that was answered", async () => {
    const { owner, campaignId, spending } = await spendingCampaign(30);
    for (let n = 0; n < 40; n++) expect((await hold(harness.money, spending)).outcome).toBe("held");
    const charging = Promise.all(Array.from({ length: 40 }, () => charge(harness.money, spending)));
    const lowering = Promise.all(
      [12, 8, 5, 3].map((budget) => owner.patch(`/campaigns/${campaignId}`, { budget_cents: budget })),
    );
    const [charges, answers] = await Promise.all([charging, lowering]);
    const wallet = await read(spending);
    const row = await harness.management.database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    const charged = charges.filter(({ outcome }) => outcome === "charged").length;
    expect(wallet?.spentMillicents).toBe(charged * 500);
    expect(wallet?.spentMillicents).toBeLessThanOrEqual(row.budgetCents * 1_000);
    expect(wallet).toMatchObject({ budgetMillicents: row.budgetCents * 1_000, ceilingMillicents: null });
    for (const answer of answers) expect([200, 422]).toContain(answer.status);
  });

  it("is undone by the loop when it stopped between the ceiling and the commit", async () => {
    const { campaignId, spending } = await spendingCampaign(10);
    const { database, repairLoop } = harness.management;
    // The version is bumped and committed first; then the ceiling is set; then the process dies.
    await database.campaign.update({ where: { id: campaignId }, data: { version: { increment: 1 } } });
    await harness.money.setBudgetCeiling(spending.advertiserId, campaignId, 1_000);
    expect(await read(spending)).toMatchObject({ ceilingMillicents: 1_000 });
    for (let round = 0; round < 2; round++) await repairLoop.round();
    expect(await read(spending)).toMatchObject({ ceilingMillicents: null, budgetMillicents: 10_000 });
  });

  it("asks the wallet before it waits for Postgres, so that an unavailable one keeps nothing there", async () => {
    const { campaignId, spending } = await spendingCampaign(10);
    const { database } = harness.management;
    const cutOff = connectRedis("redis://127.0.0.1:1", { name: "cut off" });
    cutOff.on("error", () => undefined);
    cutOff.disconnect();
    const parts = { pipeline: harness.pipeline, wallets: createMoneyCommands(cutOff) };
    const campaign = { id: campaignId, advertiserId: spending.advertiserId, budgetCents: 10 };
    await database.$transaction(
      async (blocker) => {
        await blocker.$queryRaw`SELECT id FROM campaigns WHERE id = ${campaignId} FOR UPDATE`;
        const refused = await changeSettings(parts, campaign, { budgetCents: 5 }).catch(
          (error: unknown) => error,
        );
        expect(isRedisUnavailable(refused)).toBe(true);
      },
      { timeout: 120_000 },
    );
    const changed = await changeSettings(parts, campaign, { budgetCents: 20 });
    expect(changed.budgetCents).toBe(20);
  });
});
