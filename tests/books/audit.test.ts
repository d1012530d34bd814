import { type AuditReport, auditBooks, auditJson, auditText } from "@diegetic/billing";
import { utcDay } from "@diegetic/database";
import { createGameSessions } from "@diegetic/hot-state";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { createDatabaseSession, type DatabaseSession } from "./database-session.ts";
import { type Advertiser, type Campaign, World } from "./world.fixture.ts";

let world: World;
let sql: DatabaseSession;
let advertiser: Advertiser;
let campaign: Campaign;
let other: Campaign;

function audit(pausesMs: number[] = [20, 40]): Promise<AuditReport> {
  return auditBooks({ ...world.urls, quietWithinMs: 500, pausesMs });
}

/** Which checks differ, each once. */
async function differing(): Promise<string[]> {
  const { findings } = await audit();
  return [...new Set(findings.map(({ check }) => check))].sort();
}

beforeAll(async () => {
  world = await World.open();
  sql = await createDatabaseSession(world.urls.databaseUrl);
  world.startBilling();
  advertiser = await world.advertiser(5_000);
  const developer = (await world.advertiser(0)).accountId;
  await advertiser.post("/deposit", { amount_cents: 250 }).expect(200);
  campaign = await world.campaign(advertiser, { daily_cap_cents: 1_000 });
  other = await world.campaign(advertiser, { budget_cents: 300 });
  for (let i = 0; i < 12; i++) {
    const choice = { user: `user-${"x".repeat(i % 3)}`, game: `game {${i % 2}}`, developer };
    await world.impress(i % 3 === 0 ? other : campaign, choice);
  }
  await world.hold(campaign);
  await world.hold(other);
  await world.written(advertiser.advertiserId);
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
  await world.management.reconciler.stop();
}, 60_000);
afterAll(async () => {
  await sql.close();
  await world.close();
});

describe("audit", () => {
  it("finds that the books agree, and says so", async () => {
    const report = await audit();
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ verdict: "agrees", wasQuiet: true, differences: 0, notCompared: [] });
    const whole = report.lines.find(({ check }) => check === "whole_impressions");
    expect(whole).toMatchObject({ compared: 9, expected: 108n, found: 108n });
    expect(auditText(report)).toMatch(
      /Spent, millicents: Redis = Postgres \+ outbox +\d+ .* ok\n[\s\S]*The books agree\.\n$/,
    );
    expect(JSON.parse(auditJson(report))).toMatchObject({ verdict: "agrees", findings: [] });
  });

  const key = (name: string) => `{${advertiser.advertiserId}}:${name}`;
  const campaignKey = () => key(`campaign:${campaign.campaignId}`);

  /** What is done to the stores, what undoes it, and the checks that must notice, no others. */
  const plants: [string, () => Promise<unknown>, () => Promise<unknown>, string[]][] = [
    [
      "a deposit's row",
      () => sql.run("UPDATE deposits SET amount_cents = amount_cents + 1 WHERE amount_cents = 250"),
      () => sql.run("UPDATE deposits SET amount_cents = amount_cents - 1 WHERE amount_cents = 251"),
      ["deposit_ledger", "deposit_rows"],
    ],
    [
      "an advertiser's deposits",
      () => sql.run("UPDATE advertisers SET deposited_millicents = deposited_millicents + 7"),
      () => sql.run("UPDATE advertisers SET deposited_millicents = deposited_millicents - 7"),
      ["deposit_rows", "slot_deposited"],
    ],
    [
      "an advertiser's spending",
      () =>
        sql.run("UPDATE advertisers SET spent_millicents = spent_millicents + 1 WHERE spent_millicents > 0"),
      () =>
        sql.run("UPDATE advertisers SET spent_millicents = spent_millicents - 1 WHERE spent_millicents > 0"),
      ["slot_spent", "spent_by_campaigns", "whole_charges"],
    ],
    [
      "a campaign's impressions",
      () =>
        sql.run("UPDATE campaigns SET impressions = impressions + 1 WHERE id = $1", [campaign.campaignId]),
      () =>
        sql.run("UPDATE campaigns SET impressions = impressions - 1 WHERE id = $1", [campaign.campaignId]),
      [
        "creative_impressions",
        "impressions_by_campaigns",
        "ledger_impressions",
        "rollup_impressions",
        "row_impressions",
        "slot_impressions",
        "version_impressions",
        "whole_impressions",
      ],
    ],
    [
      "a rollup",
      () => sql.runOnFirst("campaign_rollups", "spent_millicents = spent_millicents + 1"),
      () => sql.runOnFirst("campaign_rollups", "spent_millicents = spent_millicents - 1"),
      ["rollup_spent", "slot_day", "whole_charges"],
    ],
    [
      "a creative's count",
      () => sql.run("UPDATE creatives SET impressions = impressions + 1 WHERE id = $1", [other.creativeId]),
      () => sql.run("UPDATE creatives SET impressions = impressions - 1 WHERE id = $1", [other.creativeId]),
      ["creative_impressions", "whole_impressions"],
    ],
    [
      "a count by version",
      () => sql.runOnFirst("campaign_version_rollups", "impressions = impressions + 1"),
      () => sql.runOnFirst("campaign_version_rollups", "impressions = impressions - 1"),
      ["version_impressions"],
    ],
    [
      "a count of players",
      () => sql.run("UPDATE campaign_rollups SET users = users + 1"),
      () => sql.run("UPDATE campaign_rollups SET users = users - 1"),
      ["unique_users"],
    ],
    [
      "a game's earnings",
      () => sql.runOnFirst("game_rollups", "earning_microcents = earning_microcents + 1"),
      () => sql.runOnFirst("game_rollups", "earning_microcents = earning_microcents - 1"),
      ["earnings", "row_earnings", "whole_earnings"],
    ],
    [
      "a fee in the ledger",
      () =>
        sql.runUntriggered(
          "UPDATE ledger_entries SET amount_microcents = amount_microcents + 1 WHERE kind = 'fee'",
        ),
      () =>
        sql.runUntriggered(
          "UPDATE ledger_entries SET amount_microcents = amount_microcents - 1 WHERE kind = 'fee'",
        ),
      ["ledger_balance", "postings"],
    ],
    [
      "a charge in the ledger",
      () =>
        sql.runUntriggered(
          "UPDATE ledger_entries SET amount_microcents = amount_microcents - 1000 WHERE kind = 'charge'",
        ),
      () =>
        sql.runUntriggered(
          "UPDATE ledger_entries SET amount_microcents = amount_microcents + 1000 WHERE kind = 'charge'",
        ),
      ["ledger_balance", "ledger_charges", "postings", "whole_charges"],
    ],
    [
      "the price of an impression",
      () => sql.runOnFirst("impressions", "price_millicents = price_millicents + 1"),
      () => sql.runOnFirst("impressions", "price_millicents = price_millicents - 1"),
      ["row_charges", "whole_charges"],
    ],
    [
      "the player of an impression",
      () => sql.runOnFirst("impressions", "user_hash = user_hash || 'other'"),
      () => sql.runOnFirst("impressions", "user_hash = replace(user_hash, 'other', '')"),
      ["row_users"],
    ],
    [
      "an impression that is there twice",
      () =>
        sql.run(`CREATE TEMP TABLE twice AS SELECT * FROM impressions ORDER BY impression_id LIMIT 1;
          UPDATE twice SET impression_id = 'imp_twice'; INSERT INTO impressions SELECT * FROM twice; DROP TABLE twice`),
      () => sql.run("DELETE FROM impressions WHERE impression_id = 'imp_twice'"),
      [
        "match_once",
        "row_charges",
        "row_earnings",
        "row_game_impressions",
        "row_impressions",
        "whole_charges",
        "whole_earnings",
        "whole_impressions",
      ],
    ],
    [
      "a record that was set aside",
      () =>
        sql.run(
          "INSERT INTO poison_impressions (impression_id, advertiser_id, record, reason) VALUES ('imp_x', $1, '{}', 'x')",
          [advertiser.advertiserId],
        ),
      () => sql.run("UPDATE poison_impressions SET resolved_at = now(), resolution = 'paid back'"),
      ["poison"],
    ],
    [
      "records that were set aside and belong to nobody",
      () =>
        sql.run(
          "INSERT INTO poison_impressions (impression_id, advertiser_id, record, reason) VALUES ('imp_y', '', '{}', 'x')",
        ),
      () => sql.run("UPDATE poison_impressions SET resolved_at = now()"),
      ["poison"],
    ],
    [
      "a slot of nobody",
      () => world.redis.hset("{adv_nobody}:account", "version", 1),
      () => world.redis.del("{adv_nobody}:account"),
      ["slot_known"],
    ],
    [
      "an outbox's field that is no record",
      () => world.redis.hset(key("outbox"), "imp_bad", "{"),
      () => world.redis.hdel(key("outbox"), "imp_bad"),
      ["slot_present"],
    ],
    [
      "a version that was not published",
      () => sql.run("UPDATE placements SET version = version; UPDATE campaigns SET version = version + 1"),
      () => sql.run("UPDATE campaigns SET version = version - 1"),
      ["published", "snapshot_rows"],
    ],
    [
      "a stored answer that was not forgotten",
      () =>
        sql.run(
          `INSERT INTO idempotency_keys (account_id, endpoint, key, body_sha256, status, created_at)
           VALUES ($1, 'POST /deposit', 'k', repeat('0', 64), 200, now() - interval '3 days')`,
          [advertiser.accountId],
        ),
      () => sql.run("DELETE FROM idempotency_keys WHERE key = 'k'"),
      ["stored_answers"],
    ],
    [
      "tomorrow's partition",
      () => sql.run(`ALTER TABLE impressions DETACH PARTITION ${tomorrowsPartition()}`),
      () => {
        const day = utcDay(Date.now() + 86_400_000);
        return sql.run(
          `ALTER TABLE impressions ATTACH PARTITION ${tomorrowsPartition()} FOR VALUES FROM ('${day}') TO ('${day}'::date + 1)`,
        );
      },
      ["partitions"],
    ],
    [
      "what the account holds",
      () => world.redis.hincrby(key("account"), "held", 1),
      () => world.redis.hincrby(key("account"), "held", -1),
      ["slot_held"],
    ],
    [
      "what a campaign holds",
      () => world.redis.hincrby(campaignKey(), "held", -1),
      () => world.redis.hincrby(campaignKey(), "held", 1),
      ["slot_held"],
    ],
    [
      "what the account has spent",
      () => world.redis.hincrby(key("account"), "spent", -1),
      () => world.redis.hincrby(key("account"), "spent", 1),
      ["slot_spent"],
    ],
    [
      "the account's impressions",
      () => world.redis.hincrby(key("account"), "impressions", 1),
      () => world.redis.hincrby(key("account"), "impressions", -1),
      ["slot_impressions"],
    ],
    [
      "the account's deposits",
      () => world.redis.hincrby(key("account"), "deposited", 1_000),
      () => world.redis.hincrby(key("account"), "deposited", -1_000),
      ["slot_deposited"],
    ],
    [
      "more spent and held than deposited",
      () => world.redis.hincrby(key("account"), "deposited", -5_245_000),
      () => world.redis.hincrby(key("account"), "deposited", 5_245_000),
      ["slot_balance", "slot_deposited"],
    ],
    [
      "a campaign's budget",
      () => world.redis.hset(campaignKey(), "budget", 20_000_000),
      () => world.redis.hset(campaignKey(), "budget", 10_000_000),
      ["slot_settings"],
    ],
    [
      "more spent and held than the budget",
      () => world.redis.hset(campaignKey(), "budget", 1_000),
      () => world.redis.hset(campaignKey(), "budget", 10_000_000),
      ["slot_budget", "slot_settings"],
    ],
    [
      "more spent and held than the cap",
      () => world.redis.hset(campaignKey(), "daily_cap", 1_000),
      () => world.redis.hset(campaignKey(), "daily_cap", 1_000_000),
      ["slot_daily_cap", "slot_settings"],
    ],
    [
      "what a campaign has spent today",
      () => world.redis.hincrby(campaignKey(), "day_spent", -1),
      () => world.redis.hincrby(campaignKey(), "day_spent", 1),
      ["slot_day"],
    ],
    [
      "a campaign's status",
      () => world.redis.hset(campaignKey(), "status", "paused"),
      () => world.redis.hset(campaignKey(), "status", "active"),
      ["slot_settings"],
    ],
    [
      "a figure that is no number",
      () => world.redis.hset(campaignKey(), "impressions", "many"),
      () => world.redis.hset(campaignKey(), "impressions", 8),
      ["slot_present"],
    ],
    [
      "a slot that is gone",
      () => world.redis.rename(key("account"), key("gone")),
      () => world.redis.rename(key("gone"), key("account")),
      ["slot_present"],
    ],
    [
      "a slot that nobody has verified",
      async () => {
        await world.redis.copy(key("account"), key("kept"));
        await world.redis.hset(key("account"), "lineage", "another");
      },
      () => world.redis.rename(key("kept"), key("account")),
      ["slot_epoch"],
    ],
    [
      "a slot of another epoch",
      () => world.redis.hincrby(key("account"), "epoch", 1),
      () => world.redis.hincrby(key("account"), "epoch", -1),
      ["slot_epoch"],
    ],
    [
      "an impression that a slot was not told of",
      () =>
        sql.run(
          `INSERT INTO slot_settlements (impression_id, kind, advertiser_id, campaign_id, game_id, match_id,
             price_millicents, day, committed_in_epoch)
           VALUES ('imp_x', 'late', $1, 'camp', 'game', 'mat', 1, now(), 0)`,
          [advertiser.advertiserId],
        ),
      () => sql.run("DELETE FROM slot_settlements"),
      ["settlements"],
    ],
    [
      "a hold that nobody releases",
      () =>
        world.redis.zadd(key("holds"), Date.now() - 90_000, `mat_x|${campaign.campaignId}|game|session|1`),
      () => world.redis.zrem(key("holds"), `mat_x|${campaign.campaignId}|game|session|1`),
      ["lapsed_holds", "slot_held"],
    ],
    [
      "a place that nobody gives back",
      () => world.redis.hset(key("giveback"), "mat_x", "game|session"),
      () => world.redis.hdel(key("giveback"), "mat_x"),
      ["givebacks"],
    ],
    [
      "a record that nobody acknowledges",
      async () => {
        const [row] = await sql.run("SELECT * FROM impressions LIMIT 1");
        const record = {
          impression_id: row?.impression_id,
          creative_id: row?.creative_id,
          recorded_at_ms: Date.now() - 180_000,
          match: { campaign_id: row?.campaign_id, campaign_version: 1, price_millicents: 500 },
        };
        await world.redis.hset(key("outbox"), String(row?.impression_id), JSON.stringify(record));
      },
      () => world.redis.del(key("outbox")),
      ["outbox_age"],
    ],
    [
      "a session that saw more ads than its placement allows",
      async () => {
        const soon = { gameId: "capped", sessionKey: "session", idleMs: 600_000, maxAds: 50 };
        const sessions = createGameSessions(world.redis);
        for (const matchId of ["mat_1", "mat_2", "mat_3"]) await sessions.admit({ ...soon, matchId });
      },
      () => world.redis.del("{game:capped}:session:session"),
      ["session_places"],
    ],
    [
      "a creative that a session saw more often than it allows",
      () => world.redis.hset(key("cap:capped:session"), { since: Date.now() * 1_000, [other.creativeId]: 4 }),
      () => world.redis.del(key("cap:capped:session")),
      ["session_creatives"],
    ],
    [
      "an entity of the snapshot",
      () => world.redis.hset("{snapshot}:entities", "campaign:camp_x", "{}"),
      () => world.redis.hdel("{snapshot}:entities", "campaign:camp_x"),
      ["snapshot_entities"],
    ],
    [
      "a version of the snapshot",
      () => world.redis.hincrby("{snapshot}:row-versions", `campaign:${campaign.campaignId}`, -1),
      () => world.redis.hincrby("{snapshot}:row-versions", `campaign:${campaign.campaignId}`, 1),
      ["snapshot_rows"],
    ],
  ];

  it.each(plants)("notices %s", async (_what, plant, undo, expected) => {
    await plant();
    try {
      expect(await differing()).toEqual(expected);
    } finally {
      await undo();
    }
  });

  it("says what differs, and by how much", async () => {
    await world.redis.hincrby(key("account"), "held", 1_000_000);
    const report = await audit();
    await world.redis.hincrby(key("account"), "held", -1_000_000);
    expect(report.verdict).toBe("differs");
    expect(auditText(report)).toContain("expected 1 000, found 1 001 000");
    expect(auditText(report)).toContain("The books differ in 2 places.");
    expect(await differing()).toEqual([]);
  });

  it("allows what late charges have added to a full day, and nothing more", async () => {
    const price = campaign.priceMillicents;
    await sql.run(
      `INSERT INTO slot_settlements (impression_id, kind, advertiser_id, campaign_id, game_id, match_id,
         price_millicents, day, committed_in_epoch, settled_at)
       VALUES ('imp_late', 'late', $1, $2, 'game', 'mat', $3, (now() AT TIME ZONE 'UTC')::date, 0, now())`,
      [advertiser.advertiserId, campaign.campaignId, price],
    );
    const used = 9 * price;
    try {
      await world.redis.hset(campaignKey(), "daily_cap", used - price);
      expect(await differing()).toEqual(["slot_settings"]);
      await world.redis.hset(campaignKey(), "daily_cap", used - price - 1);
      expect(await differing()).toEqual(["slot_daily_cap", "slot_settings"]);
    } finally {
      await world.redis.hset(campaignKey(), "daily_cap", 1_000_000);
      await sql.run("DELETE FROM slot_settlements");
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
      expect(await differing()).toEqual(["slot_settings"]);
      await changedBefore(1);
      expect(await differing()).toEqual(["day_cap", "slot_settings"]);
    } finally {
      await cap(1_000);
    }
  });

  it("looks at limits as closely after a restart that found records in the outbox", async () => {
    await world.impress(campaign);
    await world.redis.hset(key("account"), "lineage", "another");
    await eventually(async () => {
      await world.management.reconciler.round();
      return (await world.redis.hget(key("account"), "lineage")) !== "another";
    });
    expect(await differing()).toEqual([]);
    await world.redis.hset(campaignKey(), "daily_cap", 1_000);
    expect(await differing()).toEqual(["slot_daily_cap", "slot_settings"]);
    await world.redis.hset(campaignKey(), "daily_cap", 1_000_000);
    world.startBilling();
    await world.written(advertiser.advertiserId);
    const untold = "SELECT FROM slot_settlements WHERE settled_at IS NULL";
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
    const report = await auditBooks({ ...world.urls, quietWithinMs: 0 });
    stop.abort();
    await traffic;
    expect(report.findings).toEqual([]);
    await world.written(busy.advertiserId);
    expect(await differing()).toEqual([]);
  }, 60_000);

  it("does not say that the books of nobody agree", async () => {
    const empty = await World.open();
    try {
      empty.startBilling();
      const look = () => auditBooks({ ...empty.urls, quietWithinMs: 0, pausesMs: [] });
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
  }, 60_000);
});

function tomorrowsPartition(): string {
  return `impressions_${utcDay(Date.now() + 86_400_000).replaceAll("-", "")}`;
}
