import { utcDay } from "@diegetic/database";
import { type Ground, type Plant, SEEN_OF_ANOTHER_ROW, walletKey } from "./plant.ts";

/** Damage to Postgres, to the snapshot, and to values that both stores have. */
export function postgresPlants(ground: () => Ground): Plant[] {
  const key = (name: string) => walletKey(ground().advertiser, name);
  return [
    [
      "a deposit's row",
      () => ground().sql.run("UPDATE deposits SET amount_cents = amount_cents + 1 WHERE amount_cents = 250"),
      () => ground().sql.run("UPDATE deposits SET amount_cents = amount_cents - 1 WHERE amount_cents = 251"),
      ["deposit_ledger", "deposit_rows"],
    ],
    [
      "an advertiser's deposits",
      () => ground().sql.run("UPDATE advertisers SET deposited_millicents = deposited_millicents + 7"),
      () => ground().sql.run("UPDATE advertisers SET deposited_millicents = deposited_millicents - 7"),
      ["deposit_rows", "wallet_deposited"],
    ],
    [
      "an advertiser's spending",
      () =>
        ground().sql.run(
          "UPDATE advertisers SET spent_millicents = spent_millicents + 1 WHERE spent_millicents > 0",
        ),
      () =>
        ground().sql.run(
          "UPDATE advertisers SET spent_millicents = spent_millicents - 1 WHERE spent_millicents > 0",
        ),
      ["wallet_spent", "spent_by_campaigns", "whole_charges"],
    ],
    [
      "a campaign's impressions",
      () =>
        ground().sql.run("UPDATE campaigns SET impressions = impressions + 1 WHERE id = $1", [
          ground().campaign.campaignId,
        ]),
      () =>
        ground().sql.run("UPDATE campaigns SET impressions = impressions - 1 WHERE id = $1", [
          ground().campaign.campaignId,
        ]),
      [
        "campaign_game_impressions",
        "country_impressions",
        "creative_impressions",
        "impressions_by_campaigns",
        "ledger_impressions",
        "rollup_impressions",
        "row_impressions",
        "wallet_impressions",
        "version_impressions",
        "whole_impressions",
      ],
    ],
    [
      "a rollup",
      () => ground().sql.runOnFirst("campaign_rollups", "spent_millicents = spent_millicents + 1"),
      () => ground().sql.runOnFirst("campaign_rollups", "spent_millicents = spent_millicents - 1"),
      ["day_charges", "rollup_spent", "wallet_day", "whole_charges"],
    ],
    [
      "a creative's count",
      () =>
        ground().sql.run("UPDATE creatives SET impressions = impressions + 1 WHERE id = $1", [
          ground().other.creativeId,
        ]),
      () =>
        ground().sql.run("UPDATE creatives SET impressions = impressions - 1 WHERE id = $1", [
          ground().other.creativeId,
        ]),
      ["creative_impressions", "row_creative_impressions", "whole_impressions"],
    ],
    [
      "a count by version",
      () => ground().sql.runOnFirst("campaign_version_rollups", "impressions = impressions + 1"),
      () => ground().sql.runOnFirst("campaign_version_rollups", "impressions = impressions - 1"),
      ["row_version_impressions", "version_impressions"],
    ],
    [
      "a count of players",
      () => ground().sql.run("UPDATE campaign_rollups SET users = users + 1"),
      () => ground().sql.run("UPDATE campaign_rollups SET users = users - 1"),
      ["unique_users"],
    ],
    [
      "a game's earnings",
      () => ground().sql.runOnFirst("game_rollups", "earning_microcents = earning_microcents + 1"),
      () => ground().sql.runOnFirst("game_rollups", "earning_microcents = earning_microcents - 1"),
      ["earnings", "row_each_game_earnings", "row_earnings", "whole_earnings"],
    ],
    [
      "a fee in the ledger",
      () =>
        ground().sql.runUntriggered(
          "UPDATE ledger_entries SET amount_microcents = amount_microcents + 1 WHERE kind = 'fee'",
        ),
      () =>
        ground().sql.runUntriggered(
          "UPDATE ledger_entries SET amount_microcents = amount_microcents - 1 WHERE kind = 'fee'",
        ),
      ["ledger_balance", "entry_groups"],
    ],
    [
      "a charge in the ledger",
      () =>
        ground().sql.runUntriggered(
          "UPDATE ledger_entries SET amount_microcents = amount_microcents - 1000 WHERE kind = 'charge'",
        ),
      () =>
        ground().sql.runUntriggered(
          "UPDATE ledger_entries SET amount_microcents = amount_microcents + 1000 WHERE kind = 'charge'",
        ),
      ["ledger_balance", "ledger_charges", "entry_groups", "whole_charges"],
    ],
    [
      "the price of an impression",
      () => ground().sql.runOnFirst("impressions", "price_millicents = price_millicents + 1"),
      () => ground().sql.runOnFirst("impressions", "price_millicents = price_millicents - 1"),
      ["day_charges", "row_charges", "row_country_spent", "row_creative_spent", "whole_charges"],
    ],
    [
      "the player of an impression",
      () => ground().sql.runOnFirst("impressions", "user_hash = user_hash || 'other'"),
      () => ground().sql.runOnFirst("impressions", "user_hash = replace(user_hash, 'other', '')"),
      ["row_users"],
    ],
    [
      "an impression that is there twice",
      () =>
        ground().sql.run(`CREATE TEMP TABLE twice AS SELECT * FROM impressions ORDER BY impression_id LIMIT 1;
          UPDATE twice SET impression_id = 'imp_twice'; INSERT INTO impressions SELECT * FROM twice; DROP TABLE twice`),
      () => ground().sql.run("DELETE FROM impressions WHERE impression_id = 'imp_twice'"),
      ["match_once", ...SEEN_OF_ANOTHER_ROW],
    ],
    [
      "a record that was quarantined",
      () =>
        ground().sql.run(
          "INSERT INTO quarantined_impressions (impression_id, advertiser_id, record, reason) VALUES ('imp_x', $1, '{}', 'x')",
          [ground().advertiser.advertiserId],
        ),
      () =>
        ground().sql.run("UPDATE quarantined_impressions SET resolved_at = now(), resolution = 'paid back'"),
      ["quarantined"],
    ],
    [
      "records that were quarantined and belong to nobody",
      () =>
        ground().sql.run(
          "INSERT INTO quarantined_impressions (impression_id, advertiser_id, record, reason) VALUES ('imp_y', '', '{}', 'x')",
        ),
      () => ground().sql.run("UPDATE quarantined_impressions SET resolved_at = now()"),
      ["quarantined"],
    ],
    [
      "a version that was not published",
      () =>
        ground().sql.run(
          "UPDATE placements SET version = version; UPDATE campaigns SET version = version + 1",
        ),
      () => ground().sql.run("UPDATE campaigns SET version = version - 1"),
      ["published", "snapshot_rows"],
    ],
    [
      "a stored answer that was not forgotten",
      () =>
        ground().sql.run(
          `INSERT INTO idempotency_keys (account_id, endpoint, key, body_sha256, status, created_at)
           VALUES ($1, 'POST /deposit', 'k', repeat('0', 64), 200, now() - interval '3 days')`,
          [ground().advertiser.accountId],
        ),
      () => ground().sql.run("DELETE FROM idempotency_keys WHERE key = 'k'"),
      ["stored_answers"],
    ],
    [
      "tomorrow's partition",
      () => ground().sql.run(`ALTER TABLE impressions DETACH PARTITION ${tomorrowsPartition()}`),
      () => {
        const day = utcDay(Date.now() + 86_400_000);
        return ground().sql.run(
          `ALTER TABLE impressions ATTACH PARTITION ${tomorrowsPartition()} FOR VALUES FROM ('${day}') TO ('${day}'::date + 1)`,
        );
      },
      ["partitions"],
    ],
    [
      "an impression that was not settled in its wallet",
      () =>
        ground().sql.run(
          `INSERT INTO wallet_settlements (impression_id, kind, advertiser_id, campaign_id, game_id, match_id,
             price_millicents, day, committed_in_epoch)
           VALUES ('imp_x', 'late', $1, 'camp', 'game', 'mat', 1, now(), 0)`,
          [ground().advertiser.advertiserId],
        ),
      () => ground().sql.run("DELETE FROM wallet_settlements"),
      ["settlements"],
    ],
    [
      "a record that nobody acknowledges",
      async () => {
        const [row] = await ground().sql.run("SELECT * FROM impressions LIMIT 1");
        const record = {
          impression_id: row?.impression_id,
          creative_id: row?.creative_id,
          recorded_at_ms: Date.now() - 180_000,
          match: { campaign_id: row?.campaign_id, campaign_version: 1, price_millicents: 500 },
        };
        await ground().world.redis.hset(key("outbox"), String(row?.impression_id), JSON.stringify(record));
      },
      () => ground().world.redis.del(key("outbox")),
      ["outbox_age"],
    ],
    [
      "an entity of the snapshot",
      () => ground().world.redis.hset("{snapshot}:entities", "campaign:camp_x", "{}"),
      () => ground().world.redis.hdel("{snapshot}:entities", "campaign:camp_x"),
      ["snapshot_entities"],
    ],
    [
      "a version of the snapshot",
      () =>
        ground().world.redis.hincrby(
          "{snapshot}:row-versions",
          `campaign:${ground().campaign.campaignId}`,
          -1,
        ),
      () =>
        ground().world.redis.hincrby(
          "{snapshot}:row-versions",
          `campaign:${ground().campaign.campaignId}`,
          1,
        ),
      ["snapshot_rows"],
    ],
  ];
}

function tomorrowsPartition(): string {
  return `impressions_${utcDay(Date.now() + 86_400_000).replaceAll("-", "")}`;
}
