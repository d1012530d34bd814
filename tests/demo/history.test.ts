import { auditText, reconcileAll, writeRecords } from "@diegetic/billing";
import { createDatabase, type Database, ensureImpressionPartition, utcDay } from "@diegetic/database";
import { type RedisConnection, TrafficReader } from "@diegetic/hot-state";
import { createDemo, type Demo, demoHistory, recordDemoCalls } from "@diegetic/management";
import type { Management } from "@diegetic/management/management";
import { createLogger } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { documented } from "@diegetic/testing/documented";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { createInstance } from "../../services/management/src/testing/harness.ts";

const SECRET = "s".repeat(32);

let stores: TestDatabase;
let server: TestRedis;
let database: Database;
let redis: RedisConnection;
let management: Management;
let demo: Demo;
let written = 0;

beforeAll(async () => {
  [stores, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  database = createDatabase(stores.url, { poolSize: 2, applicationName: "test" });
  redis = connectTestRedis(server.url);
  demo = await createDemo(database, SECRET, Date.now());
  const history = await demoHistory(database, demo.accountId);
  if (history === undefined) throw new Error("there is no history");
  written = history.records.length;
  const logger = createLogger({ service: "billing", instance: "test", level: "silent" });
  await writeRecords({ databaseUrl: stores.url, redisUrl: server.url, logger }, history.records);
  await recordDemoCalls(redis, history);
  management = createInstance({ databaseUrl: stores.url, redisUrl: server.url });
  await management.start();
  await forgetLostLeases(server.url);
});
afterAll(async () => {
  await management.stop();
  redis.disconnect();
  await database.$disconnect();
  await server.stop();
  await stores.drop();
});

async function get(path: string) {
  const call = request(management.app).get(`/api${path}`).set("Authorization", `Bearer ${demo.key}`);
  return (await documented(call).expect(200)).body;
}

describe("the history of the demo account", () => {
  it("passes the audit, and has the same money in Redis and Postgres", async () => {
    // Billing, which does not run here, makes the partitions of the days ahead.
    for (const ahead of [0, 1]) {
      await ensureImpressionPartition(database, utcDay(Date.now() + ahead * 86_400_000));
    }
    const report = await reconcileAll({ databaseUrl: stores.url, redisUrl: server.url, quietWithinMs: 0 });
    expect([report.verdict, auditText(report)]).toEqual(["agrees", expect.any(String)]);
    const { balance_cents } = await get("/profile");
    expect(balance_cents).toBeGreaterThanOrEqual(2_000);
    expect(balance_cents).toBeLessThan(6_000);
  });

  it("has weeks of days that differ, several games and countries", async () => {
    expect(written).toBeGreaterThan(20_000);
    const { days, total } = await get("/analytics/daily?days=30");
    expect(total.impressions).toBe(written);
    const alive = days.filter(({ impressions }: { impressions: number }) => impressions > 0);
    expect(alive.length).toBeGreaterThanOrEqual(28);
    expect(
      new Set(alive.map(({ impressions }: { impressions: number }) => impressions)).size,
    ).toBeGreaterThan(20);
    expect((await get("/deposits")).length).toBe(3);
    const { games } = await get("/creator-revenue");
    expect(games.filter(({ impressions }: { impressions: number }) => impressions > 100)).toHaveLength(5);
    const { campaigns } = await get("/analytics/campaigns?days=14");
    const oldest = campaigns.at(-1).campaign_id;
    const { countries } = await get(`/campaigns/${oldest}/analytics/geo`);
    expect(countries.length).toBeGreaterThan(8);
    expect((await get(`/campaigns/${oldest}/analytics/creatives`)).creatives).toHaveLength(2);
  });

  it("has campaigns in the states that need attention", async () => {
    const { campaigns } = await get("/analytics/campaigns?days=31");
    const states = campaigns.map((campaign: Record<string, unknown>) => [
      String(campaign.name).split(/[ :]/)[0],
      campaign.status,
      campaign.pacing_status,
      campaign.creatives,
    ]);
    expect(Object.fromEntries(states.map(([name, ...state]: unknown[]) => [name, state]))).toMatchObject({
      Emberroast: ["active", "on_pace", 2],
      Oak: ["active", expect.stringMatching(/pac/), 2],
      Nightweave: ["active", "under_pacing", 1],
      Moonwell: ["active", expect.stringMatching(/pac/), 2],
      Ironleaf: ["active", "exhausted", 1],
      Copperkettle: ["paused", expect.any(String), 1],
      Saltmarsh: ["draft", "not_started", 0],
    });
    expect(states.map(([, , pacing]: unknown[]) => pacing)).toContain("over_pacing");
  });

  it("never reaches a daily cap, so that the states are the same at any time of day", async () => {
    const capped = await database.campaign.findMany({ where: { dailyCapCents: { not: null } } });
    expect(capped).toHaveLength(1);
    for (const { id, dailyCapCents } of capped) {
      const days = await database.impression.groupBy({
        by: ["day"],
        where: { campaignId: id },
        _sum: { priceMillicents: true },
        _max: { priceMillicents: true },
      });
      expect(days.length).toBeGreaterThan(14);
      for (const { _sum, _max } of days) {
        const left = Number(dailyCapCents) * 1_000 - Number(_sum.priceMillicents);
        expect(left).toBeGreaterThanOrEqual(Number(_max.priceMillicents));
      }
    }
  });

  it("has traffic with reasons, errors, words and scenes", async () => {
    const traffic = await get("/traffic");
    expect(traffic.games.map(({ stage }: { stage: string }) => stage)).toEqual(Array(5).fill("billed"));
    const { points } = await get("/traffic/moonlit-keep-demo?unit=day");
    const busy = points.filter(({ requests }: { requests: number }) => requests > 0);
    expect(busy.length).toBeGreaterThanOrEqual(28);
    expect(Object.keys(busy.at(-2).no_match).sort()).toEqual([
      "budget",
      "no_eligible_campaign",
      "session_cap",
    ]);
    expect((await get("/no-match-scenes")).length).toBeGreaterThan(20);
    const { sent } = await get("/traffic/harbor-of-lanterns/words");
    const targeted = new Map(
      sent.map((word: { value: string; is_targeted: boolean }) => [word.value, word.is_targeted]),
    );
    expect([targeted.get("tavern"), targeted.get("smithy")]).toEqual([true, false]);
    expect((await get("/market/words?type=location")).length).toBeGreaterThan(5);
    const reader = new TrafficReader(redis);
    expect((await reader.game("moonlit-keep-demo", Date.now())).impressionMs).toBeGreaterThan(
      Date.now() - 86_400_000,
    );
  });

  it("is made once, and may be written again without moving anything", async () => {
    expect(await createDemo(database, SECRET, Date.now())).toEqual(demo);
    expect(await demoHistory(database, demo.accountId)).toBeUndefined();
    const days = await database.impression.groupBy({ by: ["day"], _count: true });
    expect(days.every(({ day }) => day.toISOString().slice(0, 10) <= utcDay(Date.now()))).toBe(true);
  });
});
