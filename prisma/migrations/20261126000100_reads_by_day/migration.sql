-- The operator's page reads the campaigns' sums of two days, of all campaigns. Rollups change no indexed column, so that only
-- a day's first row of a campaign writes an index entry. The other rollups are read by day only when a day is dropped.
CREATE INDEX campaign_rollups_day_idx ON campaign_rollups (day);

-- Counted every few seconds and listed newest first, while resolved records are kept.
CREATE INDEX quarantined_impressions_open_idx ON quarantined_impressions (quarantined_at, impression_id) WHERE resolved_at IS NULL;
