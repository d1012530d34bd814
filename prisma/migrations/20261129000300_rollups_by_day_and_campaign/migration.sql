-- By day alone an index also serves lookups of one campaign's day: before a new day's rows are analysed, the planner expects
-- one of them, prefers the smaller index to the key, and reads all of the day for each campaign.
CREATE INDEX CONCURRENTLY "campaign_rollups_day_campaign_id_idx" ON "campaign_rollups"("day", "campaign_id");
