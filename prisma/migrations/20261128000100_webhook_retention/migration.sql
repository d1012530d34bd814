-- Retention finds the deliveries of an event, and the newest ended ones of a webhook.
CREATE INDEX "webhook_deliveries_event_id_idx" ON "webhook_deliveries"("event_id");
CREATE INDEX "webhook_deliveries_ended" ON "webhook_deliveries"("webhook_id", "id") WHERE status <> 'pending';
