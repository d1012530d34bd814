-- Billing looks for divided wallets several times a second.
CREATE INDEX CONCURRENTLY "advertisers_sliced_idx" ON "advertisers"("id") WHERE wallet_slices > 1;
