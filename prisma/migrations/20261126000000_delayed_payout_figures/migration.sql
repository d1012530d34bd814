-- Accounts whose figures of an announced period still lack impressions that wait to be written.
CREATE TABLE "delayed_payout_figures" (
    "period" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,

    CONSTRAINT "delayed_payout_figures_pkey" PRIMARY KEY ("period", "account_id")
);
