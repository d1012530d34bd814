-- A campaign is read with its creatives in use: it may have thousands that were deleted.
CREATE INDEX CONCURRENTLY "creatives_in_use" ON "creatives"("campaign_id", "created_at", "id") WHERE deleted_at IS NULL;
