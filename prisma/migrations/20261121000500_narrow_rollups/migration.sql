-- Rollups by one thing at a time. A row for each day, creative, country and game together would be nearly as many rows as
-- impressions: as slow to write, and too many to add up while somebody waits. Players are remembered once per campaign,
-- day, creative and country, and counted beside the sums.
-- Rows that are counted up again and again leave room on their pages, so that the new version needs no new index entry.

ALTER TABLE campaigns ADD COLUMN unique_users BIGINT NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD CONSTRAINT campaigns_unique_users_check CHECK (unique_users >= 0);
UPDATE campaigns SET unique_users = counts.users FROM unique_user_counts counts
  WHERE counts.campaign_id = campaigns.id AND counts.dimension = 'total';

CREATE TYPE breakdown_dimension AS ENUM ('creative', 'country', 'game');

CREATE TABLE campaign_breakdowns (
    campaign_id TEXT NOT NULL,
    dimension breakdown_dimension NOT NULL,
    dimension_key TEXT NOT NULL,
    impressions BIGINT NOT NULL,
    spent_millicents BIGINT NOT NULL,
    affinity_score_sum DECIMAL(24,6) NOT NULL,
    users BIGINT NOT NULL,

    CONSTRAINT campaign_breakdowns_pkey PRIMARY KEY (campaign_id, dimension, dimension_key),
    CONSTRAINT campaign_breakdowns_impressions_check CHECK (impressions > 0),
    CONSTRAINT campaign_breakdowns_spent_check CHECK (spent_millicents > 0),
    CONSTRAINT campaign_breakdowns_users_check CHECK (users >= 0)
) WITH (fillfactor = 70);

INSERT INTO campaign_breakdowns
SELECT sums.*, COALESCE(counts.users, 0)
FROM (
  SELECT campaign_id, 'creative'::breakdown_dimension AS dimension, creative_id AS dimension_key,
    sum(impressions), sum(spent_millicents), sum(affinity_score_sum) FROM campaign_rollups GROUP BY 1, 3
  UNION ALL
  SELECT campaign_id, 'country', country_code, sum(impressions), sum(spent_millicents), sum(affinity_score_sum)
  FROM campaign_rollups GROUP BY 1, 3
  UNION ALL
  SELECT campaign_id, 'game', game_id, sum(impressions), sum(spent_millicents), sum(affinity_score_sum)
  FROM campaign_rollups GROUP BY 1, 3
) AS sums
LEFT JOIN unique_user_counts counts ON counts.campaign_id = sums.campaign_id
  AND counts.dimension::text = sums.dimension::text AND counts.dimension_key = sums.dimension_key;

ALTER TABLE campaign_rollups RENAME TO wide_campaign_rollups;
ALTER TABLE wide_campaign_rollups RENAME CONSTRAINT campaign_rollups_pkey TO wide_campaign_rollups_pkey;

CREATE TABLE campaign_rollups (
    campaign_id TEXT NOT NULL,
    day DATE NOT NULL,
    impressions BIGINT NOT NULL,
    spent_millicents BIGINT NOT NULL,
    affinity_score_sum DECIMAL(24,6) NOT NULL,
    users BIGINT NOT NULL,

    CONSTRAINT campaign_rollups_pkey PRIMARY KEY (campaign_id, day),
    CONSTRAINT campaign_rollups_impressions_check CHECK (impressions > 0),
    CONSTRAINT campaign_rollups_spent_check CHECK (spent_millicents > 0),
    CONSTRAINT campaign_rollups_users_check CHECK (users >= 0)
) WITH (fillfactor = 70);

INSERT INTO campaign_rollups
SELECT sums.*, COALESCE(counts.users, 0)
FROM (
  SELECT campaign_id, day, sum(impressions), sum(spent_millicents), sum(affinity_score_sum)
  FROM wide_campaign_rollups GROUP BY 1, 2
) AS sums
LEFT JOIN unique_user_counts counts ON counts.campaign_id = sums.campaign_id
  AND counts.dimension = 'day' AND counts.dimension_key = to_char(sums.day, 'YYYY-MM-DD');

CREATE TABLE reached_users (
    campaign_id TEXT NOT NULL,
    user_hash TEXT NOT NULL,
    day DATE NOT NULL,
    creative_id TEXT NOT NULL,
    country_code TEXT NOT NULL,

    CONSTRAINT reached_users_pkey PRIMARY KEY (campaign_id, user_hash, day, creative_id, country_code)
);

INSERT INTO reached_users
SELECT DISTINCT campaign_id, user_hash, day, creative_id, COALESCE(country_code, '') FROM impressions;

DROP TABLE wide_campaign_rollups, unique_users, unique_user_counts;
DROP TYPE unique_user_dimension;

ALTER TABLE game_rollups RENAME TO wide_game_rollups;
ALTER TABLE wide_game_rollups RENAME CONSTRAINT game_rollups_pkey TO wide_game_rollups_pkey;

CREATE TABLE game_rollups (
    account_id TEXT NOT NULL,
    game_id TEXT NOT NULL,
    day DATE NOT NULL,
    impressions BIGINT NOT NULL,
    earning_microcents BIGINT NOT NULL,

    CONSTRAINT game_rollups_pkey PRIMARY KEY (account_id, game_id, day),
    CONSTRAINT game_rollups_impressions_check CHECK (impressions > 0),
    CONSTRAINT game_rollups_earning_check CHECK (earning_microcents >= 0)
) WITH (fillfactor = 70);

INSERT INTO game_rollups SELECT account_id, game_id, day, sum(impressions), sum(earning_microcents)
FROM wide_game_rollups GROUP BY 1, 2, 3;

CREATE TABLE game_advertisers (
    account_id TEXT NOT NULL,
    game_id TEXT NOT NULL,
    advertiser_id TEXT NOT NULL,
    impressions BIGINT NOT NULL,
    earning_microcents BIGINT NOT NULL,

    CONSTRAINT game_advertisers_pkey PRIMARY KEY (account_id, game_id, advertiser_id),
    CONSTRAINT game_advertisers_impressions_check CHECK (impressions > 0),
    CONSTRAINT game_advertisers_earning_check CHECK (earning_microcents >= 0)
) WITH (fillfactor = 70);

INSERT INTO game_advertisers SELECT account_id, game_id, advertiser_id, sum(impressions), sum(earning_microcents)
FROM wide_game_rollups GROUP BY 1, 2, 3;

CREATE TABLE game_totals (
    account_id TEXT NOT NULL,
    game_id TEXT NOT NULL,
    impressions BIGINT NOT NULL,
    earning_microcents BIGINT NOT NULL,

    CONSTRAINT game_totals_pkey PRIMARY KEY (account_id, game_id),
    CONSTRAINT game_totals_impressions_check CHECK (impressions > 0),
    CONSTRAINT game_totals_earning_check CHECK (earning_microcents >= 0)
) WITH (fillfactor = 70);

INSERT INTO game_totals SELECT account_id, game_id, sum(impressions), sum(earning_microcents)
FROM wide_game_rollups GROUP BY 1, 2;

DROP TABLE wide_game_rollups;

ALTER TABLE advertisers SET (fillfactor = 70);
ALTER TABLE campaigns SET (fillfactor = 70);
ALTER TABLE creatives SET (fillfactor = 70);
ALTER TABLE affinities SET (fillfactor = 70);
ALTER TABLE campaign_version_rollups SET (fillfactor = 70);

-- Charges and fees are kept by campaign and day, only earnings by game, too: a third of the rows would say nothing new.
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_subject_check;
ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_subject_check CHECK (
  CASE WHEN kind = 'deposit'
    THEN campaign_id IS NULL AND game_id IS NULL AND impressions = 0
    ELSE campaign_id IS NOT NULL AND (kind <> 'earning' OR game_id IS NOT NULL) AND impressions > 0
  END
);

-- Each row of the ledger costs an entry in each of its indexes. Nothing looks up a posting, and of an account's rows only
-- the earnings are looked for.
DROP INDEX ledger_entries_posting_id_idx, ledger_entries_account_id_id_idx, ledger_entries_advertiser_id_id_idx;
CREATE INDEX ledger_entries_advertiser_id_idx ON ledger_entries (advertiser_id);
CREATE INDEX ledger_entries_earnings_idx ON ledger_entries (account_id) WHERE kind = 'earning';
