-- Counting pending deliveries took milliseconds for each event and webhook, in the transaction that writes impressions.
-- Now billing counts, and marks full webhooks until a time: the mark ends by itself if an earlier version takes over.
ALTER TABLE "webhooks" ADD COLUMN "full_until" TIMESTAMPTZ(3);

-- Records an event for the account's active webhooks that want it, or for one webhook. Records nothing if there are
-- none. A full webhook gets failed deliveries, which can be delivered again.
CREATE OR REPLACE FUNCTION record_webhook_event(for_account text, of_type text, with_data json,
  only_webhook text DEFAULT NULL) RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
  WITH wanted AS (
    SELECT id, coalesce(full_until > CURRENT_TIMESTAMP, false) AS is_full FROM webhooks
    WHERE account_id = for_account AND (is_active AND of_type = ANY(events) OR of_type = 'webhook.test')
      AND (only_webhook IS NULL OR id = only_webhook)
  ), event AS (
    INSERT INTO webhook_events (id, account_id, type, data)
    SELECT webhook_row_id('evt'), for_account, of_type, with_data WHERE EXISTS (SELECT FROM wanted)
    RETURNING id
  )
  INSERT INTO webhook_deliveries (id, event_id, webhook_id, account_id, status, next_attempt_at)
  SELECT webhook_row_id('whd'), event.id, wanted.id, for_account,
    (CASE WHEN is_full THEN 'failed' ELSE 'pending' END)::webhook_delivery_status,
    CASE WHEN NOT is_full THEN CURRENT_TIMESTAMP END
  FROM wanted, event
  RETURNING id
$$;
