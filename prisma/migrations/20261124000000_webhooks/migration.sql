-- Addresses of accounts that receive events.
CREATE TABLE "webhooks" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[] NOT NULL,
    "description" TEXT,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "balance_low_cents" INTEGER NOT NULL,
    "hold_expiry_percent" INTEGER NOT NULL,
    "hold_expiry_min_matches" INTEGER NOT NULL,
    "hold_expiry_high_since" TIMESTAMPTZ(3),
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhooks_thresholds" CHECK (balance_low_cents > 0 AND hold_expiry_percent BETWEEN 1 AND 100
      AND hold_expiry_min_matches > 0),
    CONSTRAINT "webhooks_previous_secret" CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
);
CREATE INDEX "webhooks_account_id_idx" ON "webhooks"("account_id");
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_fkey"
  FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
