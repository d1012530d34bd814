-- Deleted creatives without impressions, which management removes after some weeks.
CREATE INDEX CONCURRENTLY "creatives_unseen" ON "creatives"("deleted_at") WHERE deleted_at IS NOT NULL AND impressions = 0;
