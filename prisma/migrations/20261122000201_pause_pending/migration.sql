-- A pause that is stored and not yet confirmed by every match instance: the same request again waits for that.
ALTER TABLE "campaigns" ADD COLUMN "pause_pending" BOOLEAN NOT NULL DEFAULT false;
