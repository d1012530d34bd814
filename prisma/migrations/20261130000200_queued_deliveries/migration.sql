-- Pending deliveries that the queue has, or may have lost: billing counts them for each webhook every second, among up to
-- 10 000 that wait for their next attempt.
CREATE INDEX CONCURRENTLY "webhook_deliveries_queued" ON "webhook_deliveries"("webhook_id", "queue_at")
  WHERE status = 'pending' AND queue_at <> next_attempt_at;
