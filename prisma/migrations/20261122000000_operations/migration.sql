-- Of several impressions of one request with an Idempotency-Key one is billed. Most have no operation.
ALTER TABLE "impressions" ADD COLUMN "operation_id" TEXT;
CREATE INDEX "impressions_operation_id_idx" ON "impressions" ("operation_id") WHERE "operation_id" IS NOT NULL;
