import { type AuditReport, auditJson, auditText, reconcileAll } from "@diegetic/billing";
import { DAY_MS } from "@diegetic/database";
import { walletIdOf } from "@diegetic/hot-state";
import { awayFromMidnight, eventually } from "@diegetic/testing/eventually";
import { isLongForm } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createDatabaseSession, type DatabaseSession } from "./database-session.ts";
import { inGroups, type Plant, walletKey } from "./plants/plant.ts";
import { postgresPlants } from "./plants/postgres-plants.ts";
import { sumPlants } from "./plants/sum-plants.ts";
import { walletPlants } from "./plants/wallet-plants.ts";
import { type Advertiser, type Campaign, World } from "./world.fixture.ts";

let world: World;
let sql: DatabaseSession;
let advertiser: Advertiser;
let campaign: Campaign;
let other: Campaign;

function audit(pausesMs: number[] = [20, 40]): Promise<AuditReport> {
  return reconcileAll({ ...world.urls, quietWithinMs: 500, pausesMs });
}

/** Which checks differ, each once. */
async function differing(): Promise<string[]> {
  const { findings } = await audit();
  return [...new Set(findings.map(({ check }) => check))].sort();
}

beforeAll(async () => {
  await awayFromMidnight(5);
  world = await World.open();
  sql = await createDatabaseSession(world.urls.databaseUrl);
  world.startBilling();
  advertiser = await world.advertiser(5_000);
  const developer = (await world.advertiser(0)).accountId;
  await advertiser.post("/deposit", { amount_cents: 250 }).expect(200);
  campaign = await world.campaign(advertiser, { daily_cap_cents: 1_000 });
  other = await world.campaign(advertiser, { budget_cents: 300 });
  await world.slice(advertiser, 2);
  const secondId = await world.creative(advertiser, campaign.campaignId);
  const campaigns = [other, campaign, { ...campaign, creativeId: secondId }];
  for (let i = 0; i < 12; i++) {
    const choice = { user: `user-${"x".repeat(i % 3)}`, game: `game {${i % 2}}`, developer, slice: i % 2 };
    await world.impress(campaigns[i % 3] ?? campaign, choice);
  }
  await world.hold(campaign);
  await world.hold(other);
  for (const slice of [0, 1]) await world.written(walletIdOf(advertiser.advertiserId, slice));
  await advertiser
    .post("/placements/capped", {
      creator_id: "c",
      placement_types: ["product_mention"],
      max_ads_per_session: 2,
    })
    .expect(201);
  // Limits count for sessions that began after them.
  const changed = "updated_at = now() - interval '1 hour'";
  await sql.run(`UPDATE placements SET ${changed}; UPDATE campaigns SET ${changed}`);
  await world.stopBilling();
  // Nothing may mend what is planted.
  const { repairLoop, upkeep } = world.management;
  await Promise.all([repairLoop, ...upkeep].map((one) => one.stop()));
}, 600_000);
afterAll(async () => {
  await sql.close();
  await world.close();
});

describe("audit", () => {
  it("reports that all stores agree", async () => {
    const report = await audit();
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ verdict: "agrees", wasQuiet: true, differences: 0, notCompared: [] });
    const whole = report.lines.find(({ check }) => check === "whole_impressions");
    expect(whole).toMatchObject({ compared: 10, expected: 120n, found: 120n });
    expect(auditText(report)).toMatch(
      /Spent, millicents: Redis = Postgres \+ outbox +\d+ .* ok\n[\s\S]*All stores agree\.\n$/,
    );
    expect(JSON.parse(auditJson(report))).toMatchObject({ verdict: "agrees", findings: [] });
  });

  const key = (name: string) => walletKey(advertiser, name);
  const campaignKey = () => key(`campaign:${campaign.campaignId}`);

  const ground = () => ({ world, sql, advertiser, campaign, other });
  const plants = [...postgresPlants(ground), ...sumPlants(ground), ...walletPlants(ground)];
  // One by one, each shows also that no other check notices it.
  const groups: Plant[][] = isLongForm ? plants.map((one) => [one]) : inGroups(plants);
  const named = groups.map((group) => [group.map(([what]) => what).join("; "), group] as const);
  it.each(named)("notices %s", async (_what, group) => {
    const expected = group.flatMap(([, , , checks]) => checks);
    const undos: (() => Promise<unknown>)[] = [];
    try {
      for (const [, plant, undo] of group) {
        undos.unshift(undo);
        await plant();
      }
      expect(await differing()).toEqual(expected.sort());
    } finally {
      for (const undo of undos) await undo();
    }
  });

  it("makes no check that nothing was planted for", async () => {
    const planted = new Set(plants.flatMap(([, , , checks]) => checks));
    // The cap of a day needs a day of its own, below.
    planted.add("day_cap");
    const { lines } = await audit();
    expect(lines.map(({ check }) => check).filter((check) => !planted.has(check))).toEqual([]);
  });

  it("says what differs, and by how much", async () => {
    await world.redis.hincrby(key("account"), "held", 1_000_000);
    const report = await audit();
    await world.redis.hincrby(key("account"), "held", -1_000_000);
    expect(report.verdict).toBe("differs");
    expect(auditText(report)).toContain("expected 1 000, found 1 001 000");
    expect(auditText(report)).toContain("Found 2 differences.");
    expect(await differing()).toEqual([]);
  });

  it("allows what late charges have added to a full day, and nothing more", async () => {
    const price = campaign.priceMillicents;
    await sql.run(
      `INSERT INTO wallet_settlements (impression_id, kind, advertiser_id, campaign_id, game_id, match_id,
         price_millicents, day, committed_in_epoch, settled_at)
       VALUES ('imp_late', 'late', $1, $2, 'game', 'mat', $3, (now() AT TIME ZONE 'UTC')::date, 0, now())`,
      [advertiser.advertiserId, campaign.campaignId, price],
    );
    const used = 9 * price;
    try {
      await world.redis.hset(campaignKey(), "daily_cap", used - price);
      expect(await differing()).toEqual(["wallet_settings"]);
      await world.redis.hset(campaignKey(), "daily_cap", used - price - 1);
      expect(await differing()).toEqual(["wallet_daily_cap", "wallet_settings"]);
    } finally {
      await world.redis.hset(campaignKey(), "daily_cap", 1_000_000);
      await sql.run("DELETE FROM wallet_settlements");
    }
  });

  it.each([
    ["late", -1, []],
    ["reversed", 1, []],
    ["reversed", 1, ["quarantined"]],
  ])("allows what a %s charge has not moved yet in the wallet, and nothing more", async (kind, sign, own) => {
    const price = campaign.priceMillicents;
    for (const _ of own) {
      const record = { match: { campaign_id: campaign.campaignId, price_millicents: price } };
      await sql.run(
        `INSERT INTO quarantined_impressions (impression_id, advertiser_id, record, reason)
         VALUES ('imp_pending', $1, $2, 'another charge')`,
        [advertiser.advertiserId, JSON.stringify(record)],
      );
    }
    await sql.run(
      `INSERT INTO wallet_settlements (impression_id, kind, advertiser_id, campaign_id, game_id, match_id,
         price_millicents, day, committed_in_epoch)
       VALUES ('imp_pending', $1::wallet_settlement_kind, $2, $3, 'game', 'mat', $4,
         (now() AT TIME ZONE 'UTC')::date, 0)`,
      [kind, advertiser.advertiserId, campaign.campaignId, price],
    );
    const move = async (impressions: number, millicents: number) => {
      for (const name of [key("account"), campaignKey()]) {
        await world.redis.hincrby(name, "spent", millicents);
        await world.redis.hincrby(name, "impressions", impressions);
      }
      await world.redis.hincrby(campaignKey(), "day_spent", millicents);
    };
    try {
      expect(await differing()).toEqual([...own, "settlements"]);
      await move(sign, sign * price);
      expect(await differing()).toEqual([...own, "settlements"]);
      await move(sign, sign);
      const ofDay = kind === "late" ? ["wallet_day"] : [];
      const ofWallet = [...ofDay, "wallet_impressions", "wallet_spent"];
      expect(await differing()).toEqual([...own, "settlements", ...ofWallet]);
    } finally {
      await move(-2 * sign, -sign * (price + 1));
      await sql.run("DELETE FROM wallet_settlements");
      await sql.run("DELETE FROM quarantined_impressions");
    }
  });

  it("lets a key name another operation after 24 hours, and no earlier", async () => {
    const [first, second] = await sql.run(
      "SELECT impression_id, match_id, recorded_at FROM impressions LIMIT 2",
    );
    const matchIds = [first?.match_id, second?.match_id];
    const setOperation = (operationId: string | null) =>
      sql.run("UPDATE impressions SET operation_id = $2 WHERE match_id = ANY($1)", [matchIds, operationId]);
    const nameSecond = (impressionId: unknown) =>
      sql.run("UPDATE impressions SET impression_id = $2 WHERE match_id = $1", [matchIds[1], impressionId]);
    const recordSecond = (at: unknown, laterMs: number) =>
      sql.run(
        `UPDATE impressions SET recorded_at = later, day = (later AT TIME ZONE 'UTC')::date
         FROM (SELECT $2::timestamptz + make_interval(secs => $3::float8 / 1000) AS later) AS moved WHERE match_id = $1`,
        [matchIds[1], at, laterMs],
      );
    await setOperation("op_again");
    try {
      await recordSecond(first?.recorded_at, DAY_MS);
      expect(await differing()).not.toContain("operation_once");
      await recordSecond(first?.recorded_at, DAY_MS - 1);
      expect(await differing()).toContain("operation_once");
      // The same impression on two days is another check's.
      await nameSecond(first?.impression_id);
      const found = await differing();
      expect(found).toContain("impression_once");
      expect(found).not.toContain("operation_once");
    } finally {
      await nameSecond(second?.impression_id);
      await recordSecond(second?.recorded_at, 0);
      await setOperation(null);
    }
  });

  it("notices that a day has spent more than its cap, if that stood all day", async () => {
    const changedBefore = (days: number) =>
      sql.run("UPDATE campaigns SET updated_at = now() - make_interval(days => $2) WHERE id = $1", [
        campaign.campaignId,
        days,
      ]);
    const cap = (cents: number) =>
      sql.run("UPDATE campaigns SET daily_cap_cents = $2 WHERE id = $1", [campaign.campaignId, cents]);
    await cap(1);
    try {
      await changedBefore(0);
      expect(await differing()).toEqual(["wallet_settings"]);
      await changedBefore(1);
      expect(await differing()).toEqual(["day_cap", "wallet_settings"]);
    } finally {
      await cap(1_000);
    }
  });

  it("looks at limits as closely after a restart that found records in the outbox", async () => {
    await world.impress(campaign);
    await world.redis.hset(key("account"), "lineage", "another");
    await eventually(async () => {
      await world.management.repairLoop.round();
      return (await world.redis.hget(key("account"), "lineage")) !== "another";
    });
    expect(await differing()).toEqual([]);
    await world.redis.hset(campaignKey(), "daily_cap", 1_000);
    expect(await differing()).toEqual(["wallet_daily_cap", "wallet_settings"]);
    await world.redis.hset(campaignKey(), "daily_cap", 1_000_000);
    world.startBilling();
    await world.written(advertiser.advertiserId);
    const untold = "SELECT FROM wallet_settlements WHERE settled_at IS NULL";
    await eventually(async () => (await sql.run(untold)).length === 0);
    await world.stopBilling();
    expect(await differing()).toEqual([]);
  });

  it("knows that what was held before a limit was lowered may pass it", async () => {
    await advertiser.patch(`/campaigns/${campaign.campaignId}`, { daily_cap_cents: 1 }).expect(200);
    await advertiser.patch(`/campaigns/${other.campaignId}`, { budget_cents: 2 }).expect(200);
    expect(await differing()).toEqual([]);
  });

  it("needs no quiet: what is on its way is no difference", async () => {
    const busy = await world.advertiser(100_000);
    const busyCampaign = await world.campaign(busy, { budget_cents: 100_000 });
    world.startBilling();
    const stop = new AbortController();
    const traffic = (async () => {
      while (!stop.signal.aborted) await world.impress(busyCampaign);
    })();
    const report = await reconcileAll({ ...world.urls, quietWithinMs: 0 });
    stop.abort();
    await traffic;
    expect(report.findings).toEqual([]);
    await world.written(busy.advertiserId);
    expect(await differing()).toEqual([]);
  });

  it("does not report agreement without advertisers", async () => {
    const empty = await World.open();
    try {
      empty.startBilling();
      const look = () => reconcileAll({ ...empty.urls, quietWithinMs: 0, pausesMs: [] });
      // Billing makes the partitions first.
      const report = await eventually(async () => {
        const found = await look();
        return found.differences === 0 && found;
      });
      expect(report.verdict).toBe("nothing");
      expect(auditText(report)).toContain("Nothing was compared");
    } finally {
      await empty.close();
    }
  });
});
