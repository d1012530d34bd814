import { DAY_MS, ensureImpressionPartition, utcDay } from "@diegetic/database";
import { readProcessReports } from "@diegetic/hot-state";
import { createMetrics } from "@diegetic/service-kit";
import { awayFromMidnight, eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createDatabaseSession, type DatabaseSession } from "./database-session.ts";
import { type Advertiser, World } from "./world.fixture.ts";

const PATIENCE = { timeoutMs: 150_000, everyMs: 50 };
const WARN = 40;

let world: World;
let sql: DatabaseSession;
let advertiser: Advertiser;
const metrics = createMetrics({ service: "billing" });
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  await awayFromMidnight(3);
  world = await World.open();
  sql = await createDatabaseSession(world.urls.databaseUrl);
  advertiser = await world.advertiser(5_000);
  // A service that compares as often as this may miss them before it has created them.
  for (const nowMs of [Date.now(), Date.now() + DAY_MS]) {
    await ensureImpressionPartition(world.database, utcDay(nowMs));
  }
  const pace = {
    reconcileEveryMs: 20,
    reconcilePauseMs: 1,
    reconcileRestFactor: 0,
    reconcileAgainAfterMs: [20, 40, 80],
  };
  world.startBilling(pace, { metrics, log: (line) => lines.push(JSON.parse(line)) });
}, 600_000);
afterAll(async () => {
  await sql.close();
  await world.close();
});

async function metric(name: string): Promise<number | undefined> {
  const { text } = await metrics.exposition();
  const line = text.split("\n").find((candidate) => candidate.startsWith(name));
  return line === undefined ? undefined : Number(line.split(" ").at(-1));
}

/** Waits for one whole reconciliation that starts after now. */
async function fullCycle(): Promise<void> {
  const before = (await metric("reconciliation_cycles_total")) ?? 0;
  await eventually(async () => ((await metric("reconciliation_cycles_total")) ?? 0) >= before + 2, PATIENCE);
}

/** On a busy machine, a store may also be late, which is no difference. */
const alarms = () =>
  lines.filter(({ level, msg }) => Number(level) >= WARN && String(msg).startsWith("reconciliation "));

describe("reconciler", () => {
  it("logs nothing while all stores agree, also during traffic", async () => {
    const campaign = await world.campaign(advertiser);
    const first = (await metric("reconciliation_cycles_total")) ?? 0;
    for (let i = 0; ((await metric("reconciliation_cycles_total")) ?? 0) < first + 3; i++) {
      await world.impress(campaign, { user: `user-${i}`, game: `game-${i % 3}` });
      if (i % 10 === 0) await advertiser.post("/deposit", { amount_cents: 1_000 }).expect(200);
    }
    expect(alarms()).toEqual([]);
    expect(await metric('reconciliation_differences{check="wallet_spent"')).toBe(0);
    expect(await metric("reconciliation_compared_total")).toBeGreaterThan(100);
    await world.written(advertiser.advertiserId);
  });

  it("logs a difference once, counts it, and logs its end", async () => {
    const key = `{${advertiser.advertiserId}}:account`;
    await world.redis.hincrby(key, "spent", 5);
    await eventually(
      async () => (await metric('reconciliation_differences{check="wallet_spent"')) === 1,
      PATIENCE,
    );
    await fullCycle();
    expect(alarms()).toMatchObject([
      {
        level: 50,
        check: "wallet_spent",
        subject: advertiser.advertiserId,
        msg: "reconciliation difference found",
      },
    ]);
    expect(await metric('reconciliation_differences{check="wallet_held"')).toBe(0);
    // A report is written every two seconds: the latest may be from before the difference.
    const reported = await eventually(async () => {
      const [report] = await readProcessReports(world.redis, Date.now());
      const { finishedAtMs, differences } = report?.reconciliation ?? {};
      return finishedAtMs && differences ? report : undefined;
    });
    expect(reported).toMatchObject({
      service: "billing",
      failing: [],
      reconciliation: {
        differences: 1,
        listed: [{ check: "wallet_spent", kind: "money", subject: advertiser.advertiserId }],
      },
    });
    await world.redis.hincrby(key, "spent", -5);
    await eventually(
      async () => (await metric('reconciliation_differences{check="wallet_spent"')) === 0,
      PATIENCE,
    );
    expect(lines.findLast(({ check }) => check !== undefined)).toMatchObject({
      level: 30,
      check: "wallet_spent",
      msg: "reconciliation difference resolved",
    });
    expect(alarms()).toHaveLength(1);
  });

  it("notices that two games of a campaign were mixed up", async () => {
    lines.length = 0;
    const move = (impressions: number) =>
      sql.run(
        `UPDATE campaign_games SET impressions = impressions + CASE game_id WHEN 'game-0' THEN 1 ELSE -1 END * $1::int
         WHERE game_id IN ('game-0', 'game-1')`,
        [impressions],
      );
    const mixedUp = 'reconciliation_differences{check="row_campaign_game_impressions"';
    await move(1);
    await eventually(async () => (await metric(mixedUp)) === 2, PATIENCE);
    const check = "row_campaign_game_impressions";
    expect(alarms()).toMatchObject([
      { level: 50, check, subject: expect.stringMatching(/^camp_\w+ acct_dev game-0$/) },
      { level: 50, check, subject: expect.stringMatching(/^camp_\w+ acct_dev game-1$/) },
    ]);
    await move(-1);
    await eventually(async () => (await metric(mixedUp)) === 0, PATIENCE);
  });

  it("counts every difference of a day, and logs 20 of them one by one", async () => {
    const campaignIds: string[] = [];
    for (let i = 0; i < 21; i++) {
      const campaign = await world.campaign(advertiser);
      await world.impress(campaign);
      campaignIds.push(campaign.campaignId);
    }
    await world.written(advertiser.advertiserId);
    lines.length = 0;
    const addToPrices = (millicents: number) =>
      sql.run(
        "UPDATE impressions SET price_millicents = price_millicents + $2::int WHERE campaign_id = ANY($1)",
        [campaignIds, millicents],
      );
    const charges = 'reconciliation_differences{check="day_charges"';
    await addToPrices(1);
    await eventually(async () => (await metric(charges)) === 21, PATIENCE);
    // Other checks read the same days: they must not count a difference again.
    await fullCycle();
    expect(await metric(charges)).toBe(21);
    const logged = alarms().filter(({ check }) => check === "day_charges");
    expect(logged).toHaveLength(21);
    expect(logged.at(-1)).toMatchObject({
      subject: expect.stringMatching(/^not listed \d{4}-\d\d-\d\d$/),
      expected: "0",
      found: "1",
    });
    await addToPrices(-1);
    await eventually(async () => (await metric(charges)) === 0, PATIENCE);
  });

  it("compares the rows of a day with its rollups", async () => {
    lines.length = 0;
    await sql.runOnFirst("impressions", "price_millicents = price_millicents + 1");
    await eventually(
      async () => (await metric('reconciliation_differences{check="day_charges"')) === 1,
      PATIENCE,
    );
    expect(alarms()).toContainEqual(expect.objectContaining({ level: 50, check: "day_charges" }));
  });

  it("compares the scores of a day's rows with its rollups", async () => {
    lines.length = 0;
    await sql.runOnFirst("campaign_rollups", "affinity_score_sum = affinity_score_sum + 0.000001");
    const scores = 'reconciliation_differences{check="day_affinity_scores"';
    await eventually(async () => (await metric(scores)) === 1, PATIENCE);
    await eventually(
      async () => (await metric('reconciliation_differences{check="affinity_scores"')) === 1,
      PATIENCE,
    );
  });

  it("notices a day whose rows are gone", async () => {
    lines.length = 0;
    const campaigns = await sql.run("SELECT DISTINCT campaign_id FROM impressions");
    await sql.run("DELETE FROM impressions");
    await eventually(
      async () => (await metric('reconciliation_differences{check="day_impressions"')) === campaigns.length,
      PATIENCE,
    );
    expect(alarms()).toContainEqual(
      expect.objectContaining({ check: "day_impressions", found: expect.any(String) }),
    );
  });
});
