-- Replaced by campaign_rollups_day_campaign_id_idx.
DROP INDEX CONCURRENTLY IF EXISTS "campaign_rollups_day_idx";
