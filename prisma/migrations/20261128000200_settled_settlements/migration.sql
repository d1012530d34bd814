-- A restored wallet may have as many late charges as its outbox had records.
CREATE INDEX "wallet_settlements_settled_idx" ON "wallet_settlements"("settled_at") WHERE settled_at IS NOT NULL;
