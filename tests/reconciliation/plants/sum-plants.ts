import { utcDay } from "@diegetic/database";
import { type Ground, type Plant, SEEN_OF_ANOTHER_ROW } from "./plant.ts";

/** Damage to sums that Postgres stores in addition to the rows. */
export function sumPlants(ground: () => Ground): Plant[] {
  const run = (sql: string, values?: unknown[]) => ground().sql.run(sql, values);
  /** Moves an amount from one campaign to another, so that the sums over all campaigns stay equal. */
  const mixUp = (table: string, column: string, amount: number, where: string) => {
    const { campaign, other } = ground();
    return run(
      `UPDATE ${table} SET ${column} = ${column} + CASE campaign_id WHEN $1 THEN 1 ELSE -1 END * (${amount})
       WHERE campaign_id IN ($1, $2) AND ${where}`,
      [campaign.campaignId, other.campaignId],
    );
  };
  const mixedUp = (
    what: string,
    [table, column, where]: string[],
    amount: number,
    checks: string[],
  ): Plant => {
    const move = (signed: number) => mixUp(table ?? "", column ?? "", signed, where ?? "true");
    return [`${what}, mixed up`, () => move(amount), () => move(-amount), checks];
  };
  /** Moves an amount between an owner's two rows, so that the owner's sum stays equal. */
  const swapped = (
    what: string,
    [table, member]: [string, string],
    column: string,
    amount: number,
    check: string,
  ): Plant => {
    const move = (signed: number) => {
      const own = table === "game_totals" ? "true" : `campaign_id = '${ground().campaign.campaignId}'`;
      return run(
        `UPDATE ${table} SET ${column} = ${column} + CASE ${member}
           WHEN (SELECT min(${member}) FROM ${table} WHERE ${own}) THEN 1 ELSE -1 END * (${signed}) WHERE ${own}`,
      );
    };
    return [`${what}, swapped`, () => move(amount), () => move(-amount), [check]];
  };
  const firstCreative = "id IN (SELECT min(id) FROM creatives GROUP BY campaign_id)";
  const unknownPlace = "country_code = ''";
  return [
    mixedUp("creatives of two campaigns", ["creatives", "impressions", firstCreative], 1, [
      "creative_impressions",
      "row_creative_impressions",
    ]),
    mixedUp("what creatives spent", ["creatives", "spent_millicents", firstCreative], 1, [
      "creative_spent",
      "row_creative_spent",
    ]),
    mixedUp("what creatives scored", ["creatives", "affinity_score_sum", firstCreative], 0.5, [
      "affinity_scores",
      "row_creative_scores",
    ]),
    mixedUp("impressions of countries", ["campaign_countries", "impressions", unknownPlace], 1, [
      "country_impressions",
      "row_country_impressions",
    ]),
    mixedUp("what countries spent", ["campaign_countries", "spent_millicents", unknownPlace], 1, [
      "country_spent",
      "row_country_spent",
    ]),
    mixedUp("impressions of games", ["campaign_games", "impressions", "game_id = 'game {0}'"], 1, [
      "campaign_game_impressions",
      "row_campaign_game_impressions",
    ]),
    mixedUp(
      "what games earned by campaigns",
      ["campaign_games", "earning_microcents", "game_id = 'game {0}'"],
      1,
      ["ledger_balance", "row_campaign_game_earnings"],
    ),
    swapped("creatives of a campaign", ["creatives", "id"], "impressions", 1, "row_creative_impressions"),
    swapped(
      "what creatives spent of a campaign",
      ["creatives", "id"],
      "spent_millicents",
      1,
      "row_creative_spent",
    ),
    swapped(
      "what creatives scored of a campaign",
      ["creatives", "id"],
      "affinity_score_sum",
      0.5,
      "row_creative_scores",
    ),
    swapped(
      "countries of a campaign",
      ["campaign_countries", "country_code"],
      "impressions",
      1,
      "row_country_impressions",
    ),
    swapped(
      "what countries spent of a campaign",
      ["campaign_countries", "country_code"],
      "spent_millicents",
      1,
      "row_country_spent",
    ),
    swapped(
      "games of a campaign",
      ["campaign_games", "game_id"],
      "impressions",
      1,
      "row_campaign_game_impressions",
    ),
    swapped(
      "what games earned of a campaign",
      ["campaign_games", "game_id"],
      "earning_microcents",
      1,
      "row_campaign_game_earnings",
    ),
    swapped("a developer's games", ["game_totals", "game_id"], "impressions", 1, "row_each_game_impressions"),
    swapped(
      "what a developer's games earned",
      ["game_totals", "game_id"],
      "earning_microcents",
      1,
      "row_each_game_earnings",
    ),
    [
      "a rollup's impressions",
      () => ground().sql.runOnFirst("campaign_rollups", "impressions = impressions + 1"),
      () => ground().sql.runOnFirst("campaign_rollups", "impressions = impressions - 1"),
      ["day_impressions", "rollup_impressions", "whole_impressions"],
    ],
    [
      "a campaign's games under another advertiser",
      () =>
        run("UPDATE campaign_games SET advertiser_id = 'adv_other' WHERE campaign_id = $1", [
          ground().other.campaignId,
        ]),
      () =>
        run("UPDATE campaign_games SET advertiser_id = $2 WHERE campaign_id = $1", [
          ground().other.campaignId,
          ground().advertiser.advertiserId,
        ]),
      ["campaign_game_impressions", "ledger_balance"],
    ],
    [
      "what a rollup scored",
      () => ground().sql.runOnFirst("campaign_rollups", "affinity_score_sum = affinity_score_sum + 0.000001"),
      () => ground().sql.runOnFirst("campaign_rollups", "affinity_score_sum = affinity_score_sum - 0.000001"),
      ["affinity_scores", "day_affinity_scores", "row_affinity_scores"],
    ],
    [
      "the score of an impression",
      () => ground().sql.runOnFirst("impressions", "affinity_score = affinity_score + 0.000001"),
      () => ground().sql.runOnFirst("impressions", "affinity_score = affinity_score - 0.000001"),
      ["day_affinity_scores", "row_affinity_scores", "row_creative_scores"],
    ],
    [
      "an affinity that counts what no impression has",
      () =>
        run(
          `INSERT INTO affinities (id, campaign_id, affinity_type, affinity_value, weight, impressions)
           VALUES ('aff_x', $1, 'mood', 'calm', 1, 1)`,
          [ground().campaign.campaignId],
        ),
      () => run("DELETE FROM affinities WHERE id = 'aff_x'"),
      ["row_affinities"],
    ],
    [
      "a game's impressions",
      () => ground().sql.runOnFirst("game_rollups", "impressions = impressions + 1"),
      () => ground().sql.runOnFirst("game_rollups", "impressions = impressions - 1"),
      ["game_impressions", "row_each_game_impressions", "row_game_impressions", "whole_impressions"],
    ],
    [
      "an advertiser's day in a game",
      () => ground().sql.runOnFirst("game_advertiser_rollups", "impressions = impressions + 1"),
      () => ground().sql.runOnFirst("game_advertiser_rollups", "impressions = impressions - 1"),
      ["row_game_advertiser_impressions", "whole_impressions"],
    ],
    [
      "what a game earned from an advertiser on a day",
      () => ground().sql.runOnFirst("game_advertiser_rollups", "earning_microcents = earning_microcents + 1"),
      () => ground().sql.runOnFirst("game_advertiser_rollups", "earning_microcents = earning_microcents - 1"),
      ["row_game_advertiser_earnings", "whole_earnings"],
    ],
    [
      "a game's days under another advertiser",
      () => run("UPDATE game_advertiser_rollups SET advertiser_id = advertiser_id || ' other'"),
      () => run("UPDATE game_advertiser_rollups SET advertiser_id = replace(advertiser_id, ' other', '')"),
      ["row_game_advertiser_earnings", "row_game_advertiser_impressions"],
    ],
    [
      "an impression that is there on two days",
      () =>
        run(`CREATE TEMP TABLE again AS SELECT * FROM impressions ORDER BY impression_id LIMIT 1;
          UPDATE again SET day = '${tomorrow()}', recorded_at = recorded_at + interval '1 day', match_id = 'mat_again';
          INSERT INTO impressions SELECT * FROM again; DROP TABLE again`),
      () => run("DELETE FROM impressions WHERE match_id = 'mat_again'"),
      ["impression_once", ...SEEN_OF_ANOTHER_ROW],
    ],
    [
      "an operation that is billed twice",
      () =>
        run(`UPDATE impressions SET operation_id = 'op_twice'
          WHERE impression_id IN (SELECT impression_id FROM impressions ORDER BY impression_id LIMIT 2)`),
      () => run("UPDATE impressions SET operation_id = NULL WHERE operation_id = 'op_twice'"),
      ["operation_once"],
    ],
    ...limitPlants(ground),
  ];
}

/** Limits that constraints of Postgres also enforce: the constraints are dropped to cause damage. */
function limitPlants(ground: () => Ground): Plant[] {
  const run = (sql: string, values?: unknown[]) => ground().sql.run(sql, values);
  const deposited = (millicents: number) =>
    run("UPDATE advertisers SET deposited_millicents = deposited_millicents + $2 WHERE id = $1", [
      ground().advertiser.advertiserId,
      millicents,
    ]);
  const budget = (cents: number) =>
    run("UPDATE campaigns SET budget_cents = $2 WHERE id = $1", [ground().campaign.campaignId, cents]);
  return [
    [
      "more spent than deposited",
      async () => {
        await run("ALTER TABLE advertisers DROP CONSTRAINT advertisers_money_check");
        await deposited(-5_245_000);
      },
      async () => {
        await deposited(5_245_000);
        await run(`ALTER TABLE advertisers ADD CONSTRAINT advertisers_money_check
          CHECK (0 <= spent_millicents AND spent_millicents <= deposited_millicents)`);
      },
      ["balance", "deposit_rows", "wallet_deposited"],
    ],
    [
      "more spent than the budget",
      async () => {
        await run("ALTER TABLE campaigns DROP CONSTRAINT campaigns_money_check");
        await budget(3);
      },
      async () => {
        await budget(10_000);
        await run(`ALTER TABLE campaigns ADD CONSTRAINT campaigns_money_check
          CHECK (0 <= spent_millicents AND spent_millicents <= budget_cents::bigint * 1000)`);
      },
      ["budget", "wallet_settings"],
    ],
  ];
}

function tomorrow(): string {
  return utcDay(Date.now() + 86_400_000);
}
