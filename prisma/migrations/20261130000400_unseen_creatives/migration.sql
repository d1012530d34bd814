-- When management may remove a deleted creative that nobody saw; null: never.
ALTER TABLE "creatives" ADD COLUMN "forget_at" TIMESTAMPTZ(3);
