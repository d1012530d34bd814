-- The index by account, creation and game serves its readers, too.
DROP INDEX CONCURRENTLY IF EXISTS "placements_account_id_idx";
