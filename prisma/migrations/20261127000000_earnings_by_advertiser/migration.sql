-- Waits for billing's transactions and keeps out new ones, so that both sums below are of the same impressions. There is no
-- deadlock: billing writes impressions before all other tables, and this migration waits for no other lock.
LOCK TABLE impressions IN SHARE MODE;

-- Which advertiser paid for a game's earnings of a day: campaign_games has advertisers over all days, game_rollups days of all
-- advertisers.
CREATE TABLE game_advertiser_rollups (
    account_id TEXT NOT NULL,
    day DATE NOT NULL,
    game_id TEXT NOT NULL,
    advertiser_id TEXT NOT NULL,
    impressions BIGINT NOT NULL,
    earning_microcents BIGINT NOT NULL,

    -- The day comes second, because a period of all games is read as often as that of one.
    CONSTRAINT game_advertiser_rollups_pkey PRIMARY KEY (account_id, day, game_id, advertiser_id),
    CONSTRAINT game_advertiser_rollups_impressions_check CHECK (impressions > 0),
    CONSTRAINT game_advertiser_rollups_earning_check CHECK (earning_microcents >= 0)
) WITH (fillfactor = 70);

INSERT INTO game_advertiser_rollups
SELECT developer_account_id, day, game_id, advertiser_id, count(*), sum(earning_microcents)
FROM impressions GROUP BY 1, 2, 3, 4;

-- Nothing says whose impressions were dropped on a day (IMPRESSION_RETENTION_DAYS): they have no advertiser, so that a day's
-- rows still add up to its earnings.
INSERT INTO game_advertiser_rollups
SELECT account_id, day, game_id, '', earned.impressions - COALESCE(known.impressions, 0),
  earned.earning_microcents - COALESCE(known.earning_microcents, 0)
FROM game_rollups AS earned LEFT JOIN (
  SELECT account_id, day, game_id, sum(impressions) AS impressions, sum(earning_microcents) AS earning_microcents
  FROM game_advertiser_rollups GROUP BY 1, 2, 3
) AS known USING (account_id, day, game_id)
WHERE earned.impressions > COALESCE(known.impressions, 0);
