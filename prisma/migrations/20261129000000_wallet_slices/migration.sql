-- A wallet of many matches is divided among hash slots.
ALTER TABLE "advertisers" ADD COLUMN "wallet_slices" INTEGER NOT NULL DEFAULT 1,
  ADD CONSTRAINT "advertisers_wallet_slices_check" CHECK (wallet_slices BETWEEN 1 AND 64);
ALTER TABLE "wallet_settlements" ADD COLUMN "wallet_slice" INTEGER NOT NULL DEFAULT 0;
