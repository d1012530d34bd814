-- Without the impressions, so that billing's updates of them stay within the page.
CREATE INDEX CONCURRENTLY "creatives_forget_at" ON "creatives"("forget_at") WHERE forget_at IS NOT NULL;
