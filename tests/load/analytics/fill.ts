import { createHash } from "node:crypto";
import pg from "pg";

/** Keys of the large advertiser and of the large developer, without rate limits. */
export const ADVERTISER_KEY = "igk_benchmark_advertiser_benchmark_advertiser";
export const DEVELOPER_KEY = "igk_benchmark_developer_benchmark_developer";
export const BIG_CAMPAIGN = "camp_00000";
export const BIG_GAME = "game-0000";

/**
 * 500 advertisers and 2 198 campaigns. The first advertiser has 200 campaigns, and its first campaign two fifths of all
 * impressions: 365 days, 200 countries, 100 creatives, 2 000 games, 50 affinities, 100 versions. The first developer
 * has 200 of the games. Campaigns and games are drawn unevenly.
 */
const STATEMENTS = `
  CREATE UNLOGGED TABLE seen AS
    SELECT CASE WHEN n % 5 < 2 THEN 0 ELSE floor(2198 * power(random(), 2))::int END AS campaign,
      floor(365 * random())::int AS day, floor(100 * power(random(), 2))::int AS creative,
      floor(200 * power(random(), 3))::int AS country, floor(2000 * power(random(), 2))::int AS game,
      floor(1000000 * power(random(), 2))::int AS player, 100 + n % 900 AS price
    FROM generate_series(1, $IMPRESSIONS) AS n;
  CREATE FUNCTION pg_temp.day_of(int) RETURNS date LANGUAGE sql AS $$ SELECT (now() AT TIME ZONE 'UTC')::date - $1 $$;
  CREATE FUNCTION pg_temp.campaign(int) RETURNS text LANGUAGE sql AS $$ SELECT 'camp_' || lpad($1::text, 5, '0') $$;
  CREATE FUNCTION pg_temp.owner_of(int) RETURNS int LANGUAGE sql AS $$ SELECT CASE WHEN $1 < 200 THEN 0 ELSE ($1 - 200) % 499 + 1 END $$;
  CREATE FUNCTION pg_temp.advertiser(int) RETURNS text LANGUAGE sql AS $$ SELECT 'adv_' || lpad(pg_temp.owner_of($1)::text, 4, '0') $$;
  CREATE FUNCTION pg_temp.creative(int, int) RETURNS text LANGUAGE sql AS $$
    SELECT 'crt_' || lpad($1::text, 5, '0') || '_' || lpad((CASE WHEN $1 = 0 THEN $2 ELSE $2 % 5 END)::text, 3, '0') $$;
  CREATE FUNCTION pg_temp.country(int) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN $1 = 199 THEN '' ELSE chr(65 + $1 % 26) || chr(65 + $1 / 26) END $$;
  CREATE FUNCTION pg_temp.game(int) RETURNS text LANGUAGE sql AS $$ SELECT 'game-' || lpad($1::text, 4, '0') $$;
  CREATE FUNCTION pg_temp.developer(int) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN $1 < 200 THEN 'acct_dev_000' ELSE 'acct_dev_' || lpad(($1 % 99 + 1)::text, 3, '0') END $$;

  INSERT INTO accounts (id, label) SELECT 'acct_adv_' || n, 'advertiser' FROM generate_series(0, 499) n;
  INSERT INTO accounts (id, label) SELECT 'acct_dev_' || lpad(n::text, 3, '0'), 'developer' FROM generate_series(0, 99) n;
  INSERT INTO campaign_rollups SELECT pg_temp.campaign(campaign), pg_temp.day_of(day), count(*), sum(price), count(*) * 1.5,
    count(DISTINCT player) FROM seen GROUP BY campaign, day;
  INSERT INTO campaign_countries SELECT pg_temp.campaign(campaign), pg_temp.country(country),
    count(*), sum(price), count(DISTINCT player) FROM seen GROUP BY campaign, country;
  INSERT INTO campaign_games SELECT pg_temp.campaign(campaign), pg_temp.game(game), pg_temp.developer(game),
    pg_temp.advertiser(campaign), count(*), sum(price) * 700 FROM seen GROUP BY campaign, game;
  INSERT INTO game_rollups SELECT pg_temp.developer(game), pg_temp.game(game), pg_temp.day_of(day), count(*), sum(price) * 700
    FROM seen GROUP BY game, day;
  INSERT INTO game_advertiser_rollups SELECT pg_temp.developer(game), pg_temp.day_of(day), pg_temp.game(game),
    pg_temp.advertiser(campaign), count(*), sum(price) * 700 FROM seen GROUP BY game, day, pg_temp.advertiser(campaign);
  INSERT INTO game_totals SELECT account_id, game_id, sum(impressions), sum(earning_microcents) FROM game_rollups GROUP BY 1, 2;
  INSERT INTO placements (game_id, account_id, creator_id, placement_types)
    SELECT pg_temp.game(n), pg_temp.developer(n), 'creator', '{narrative_hook}' FROM generate_series(0, 1999) n;

  INSERT INTO advertisers (id, account_id, company_name, contact_email, contact_email_lower, deposited_millicents,
    spent_millicents, impressions)
    SELECT 'adv_' || lpad(n::text, 4, '0'), 'acct_adv_' || n, 'Benchmark', n || '@example.com', n || '@example.com',
      1000000000000, spent, impressions
    FROM generate_series(0, 499) n JOIN (SELECT pg_temp.owner_of(campaign) AS owner, sum(price) AS spent,
      count(*) AS impressions FROM seen GROUP BY 1) sums ON sums.owner = n;
  INSERT INTO deposits (id, advertiser_id, amount_cents, created_at)
    SELECT 'dep_' || a.id || n, a.id, 100000000, now() - n * interval '30 days'
    FROM advertisers a CROSS JOIN generate_series(1, 10) n;
  INSERT INTO campaigns (id, advertiser_id, name, status, budget_cents, spent_millicents, impressions, unique_users,
    cpm_bid_cents, daily_cap_cents, version, first_activated_at)
    SELECT pg_temp.campaign(campaign), pg_temp.advertiser(campaign), 'Benchmark', 'active', 1000000000, sum(price), count(*),
      count(DISTINCT player), 500, 1000000, 100, now() - interval '365 days' FROM seen GROUP BY campaign;
  INSERT INTO creatives (id, campaign_id, creative_type, brand_name, narrative_hook, impressions, spent_millicents,
    affinity_score_sum, unique_users)
    SELECT pg_temp.creative(campaign, creative), pg_temp.campaign(campaign), 'narrative_hook', 'Ember', 'It smells of Ember.',
      count(*), sum(price), count(*) * 1.5, count(DISTINCT player)
    FROM seen GROUP BY campaign, pg_temp.creative(campaign, creative);
  INSERT INTO affinities (id, campaign_id, affinity_type, affinity_value, since_version, impressions, contribution_sum)
    SELECT 'aff_' || c.id || '_' || n, c.id, 'mood', 'tense ' || n, n, c.impressions / 2, c.impressions * 0.5
    FROM campaigns c CROSS JOIN generate_series(1, 50) n WHERE n <= 5 OR c.id = '${BIG_CAMPAIGN}';
  INSERT INTO campaign_version_rollups SELECT c.id, n, c.impressions / 100 + 1 FROM campaigns c CROSS JOIN generate_series(1, 100) n
    WHERE n = 1 OR c.id = '${BIG_CAMPAIGN}';
  DROP TABLE seen`;

/**
 * Fills all analytics tables with the rollups of 5 million impressions, computed from one generated row each. Omits the
 * impressions themselves, because no endpoint reads them.
 */
export async function fill(databaseUrl: string, impressions: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("SET synchronous_commit = off; SET work_mem = '256MB'; SELECT setseed(0.5)");
    await client.query(STATEMENTS.replace("$IMPRESSIONS", String(impressions)));
    for (const [key, account] of [
      [ADVERTISER_KEY, "acct_adv_0"],
      [DEVELOPER_KEY, "acct_dev_000"],
    ]) {
      await client.query(
        `INSERT INTO api_keys (id, account_id, sha256, prefix, label, scopes, rate_limit_per_minute)
         VALUES ($1, $2, $3, 'igk', 'benchmark', '{advertiser,developer}', -1)`,
        [
          `key_${account}`,
          account,
          createHash("sha256")
            .update(key ?? "")
            .digest("hex"),
        ],
      );
    }
    await client.query("VACUUM (ANALYZE)");
  } finally {
    await client.end();
  }
}
