-- Shows whether a process has the PLAYER_HASH_KEY of the stored players; management records it at its next start.
ALTER TABLE "installation" ADD COLUMN "player_hash_key_check" TEXT;
