-- What an affinity has done: kept beside it, so that a deleted one takes its counts along and nothing has to be looked up.
ALTER TABLE affinities
  ADD COLUMN since_version INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN impressions BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN contribution_sum DECIMAL(24,6) NOT NULL DEFAULT 0,
  ADD CONSTRAINT affinities_since_version_check CHECK (since_version >= 0),
  ADD CONSTRAINT affinities_rollup_check CHECK (impressions >= 0 AND contribution_sum >= 0);

-- 0 for impressions that were written without it.
ALTER TABLE impressions ADD COLUMN campaign_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE impressions ALTER COLUMN campaign_version DROP DEFAULT;

CREATE TABLE campaign_version_rollups (
    campaign_id TEXT NOT NULL,
    campaign_version INTEGER NOT NULL,
    impressions BIGINT NOT NULL,

    CONSTRAINT campaign_version_rollups_pkey PRIMARY KEY (campaign_id, campaign_version),
    CONSTRAINT campaign_version_rollups_impressions_check CHECK (impressions > 0)
);

-- Campaigns that were billed before this table count under version 0: before every affinity made from now on.
INSERT INTO campaign_version_rollups (campaign_id, campaign_version, impressions)
SELECT id, 0, impressions FROM campaigns WHERE impressions > 0;
