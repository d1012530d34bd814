-- A long list of placements is read in many parts.
CREATE INDEX CONCURRENTLY "placements_account_id_created_at_game_id_idx" ON "placements"("account_id", "created_at", "game_id");
