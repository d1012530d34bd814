-- One row for what two rows said: an impression moved its creative, and a breakdown of the same creative; its game in the
-- campaign, and the same game of the same advertiser.

-- What a creative has done stands beside it, as of an affinity.
ALTER TABLE creatives
  ADD COLUMN spent_millicents BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN affinity_score_sum DECIMAL(24,6) NOT NULL DEFAULT 0,
  ADD COLUMN unique_users BIGINT NOT NULL DEFAULT 0;
UPDATE creatives SET spent_millicents = sums.spent_millicents, affinity_score_sum = sums.affinity_score_sum,
  unique_users = sums.users
  FROM campaign_breakdowns AS sums
  WHERE sums.campaign_id = creatives.campaign_id AND sums.dimension = 'creative' AND sums.dimension_key = creatives.id;
ALTER TABLE creatives ADD CONSTRAINT creatives_sums_check
  CHECK (spent_millicents >= 0 AND affinity_score_sum >= 0 AND unique_users >= 0);

CREATE TABLE campaign_countries (
    campaign_id TEXT NOT NULL,
    country_code TEXT NOT NULL,
    impressions BIGINT NOT NULL,
    spent_millicents BIGINT NOT NULL,
    users BIGINT NOT NULL,

    CONSTRAINT campaign_countries_pkey PRIMARY KEY (campaign_id, country_code),
    CONSTRAINT campaign_countries_impressions_check CHECK (impressions > 0),
    CONSTRAINT campaign_countries_spent_check CHECK (spent_millicents > 0),
    CONSTRAINT campaign_countries_users_check CHECK (users >= 0)
) WITH (fillfactor = 70);

INSERT INTO campaign_countries SELECT campaign_id, dimension_key, impressions, spent_millicents, users
FROM campaign_breakdowns WHERE dimension = 'country';

-- Of each game what it earned in a campaign. The ledger has had one earning for each campaign and game of a batch so far.
CREATE TABLE campaign_games (
    campaign_id TEXT NOT NULL,
    game_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    advertiser_id TEXT NOT NULL,
    impressions BIGINT NOT NULL,
    earning_microcents BIGINT NOT NULL,

    CONSTRAINT campaign_games_pkey PRIMARY KEY (campaign_id, game_id, account_id),
    CONSTRAINT campaign_games_impressions_check CHECK (impressions > 0),
    CONSTRAINT campaign_games_earning_check CHECK (earning_microcents >= 0)
) WITH (fillfactor = 70);

INSERT INTO campaign_games
SELECT campaign_id, game_id, account_id, advertiser_id, sum(impressions), sum(amount_microcents)
FROM ledger_entries WHERE kind = 'earning' GROUP BY 1, 2, 3, 4;

-- Which advertisers were seen in a game. None of its columns ever changes, so that counting up stays heap-only. It ends with the
-- campaign, so that it finds a row as fast as the key does: the planner may take either.
CREATE INDEX campaign_games_game_idx ON campaign_games (account_id, game_id, campaign_id);

DROP TABLE campaign_breakdowns, game_advertisers;
DROP TYPE breakdown_dimension;

-- From now on earnings are posted by game alone: charge and fee tell what a campaign's games have earned together, and
-- campaign_games each of them. The rows of one posting still sum to zero.
ALTER TABLE ledger_entries ALTER COLUMN advertiser_id DROP NOT NULL;
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_subject_check;
ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_subject_check CHECK (
  CASE kind
    WHEN 'deposit' THEN advertiser_id IS NOT NULL AND campaign_id IS NULL AND game_id IS NULL AND impressions = 0
    WHEN 'earning' THEN game_id IS NOT NULL AND impressions > 0
    ELSE advertiser_id IS NOT NULL AND campaign_id IS NOT NULL AND impressions > 0
  END
);
