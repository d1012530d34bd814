-- Events are recorded in the transaction that causes them, with a delivery for each webhook that wants them. Billing
-- sends the deliveries. These tables have no foreign keys and no checks: nothing here may fail a transaction that
-- writes impressions, and a webhook may be deleted meanwhile.
CREATE TYPE "webhook_delivery_status" AS ENUM ('pending', 'delivered', 'failed');
CREATE TABLE "webhook_events" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_events_created_at_idx" ON "webhook_events"("created_at");

CREATE TABLE "webhook_deliveries" (
    "id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "status" "webhook_delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "round" INTEGER NOT NULL DEFAULT 1,
    "round_attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "queue_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_deliveries_webhook_id_id_idx" ON "webhook_deliveries"("webhook_id", "id");
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries"("created_at");
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries"("webhook_id", "queue_at") WHERE status = 'pending';

CREATE TABLE "webhook_attempts" (
    "delivery_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "attempted_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "status" INTEGER,
    "error" TEXT,
    "response" TEXT,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("delivery_id", "number")
);

-- How the matches of a developer's games ended, by minute: for holds.expiry_rate_high.
CREATE TABLE "hold_outcomes" (
    "account_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "lapsed" BIGINT NOT NULL,
    "charged" BIGINT NOT NULL,

    CONSTRAINT "hold_outcomes_pkey" PRIMARY KEY ("account_id", "minute")
);
CREATE INDEX "hold_outcomes_minute_idx" ON "hold_outcomes"("minute");

-- Periods whose earnings were announced: '2026-11-24' or '2026-11'.
CREATE TABLE "payout_periods" (
    "period" TEXT NOT NULL,
    "announced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payout_periods_pkey" PRIMARY KEY ("period")
);

-- The end date that campaign.ended was recorded for, or that had passed without a webhook.
ALTER TABLE "campaigns" ADD COLUMN "announced_end_date" TEXT;
CREATE INDEX "campaigns_unannounced_end" ON "campaigns"("end_date")
  WHERE status = 'active' AND end_date IS NOT NULL AND announced_end_date IS DISTINCT FROM end_date;

-- Identifiers sort by creation, to the millisecond.
CREATE FUNCTION webhook_row_id(prefix text) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT prefix || '_' || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 1, 20)
$$;

-- Records an event for the account's active webhooks that want it, or for one webhook. Records nothing if there are
-- none. A webhook with 10 000 pending deliveries gets failed ones, which can be delivered again.
CREATE FUNCTION record_webhook_event(for_account text, of_type text, with_data json, only_webhook text DEFAULT NULL)
RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
  WITH wanted AS (
    SELECT id FROM webhooks
    WHERE account_id = for_account AND (is_active AND of_type = ANY(events) OR of_type = 'webhook.test')
      AND (only_webhook IS NULL OR id = only_webhook)
  ), event AS (
    INSERT INTO webhook_events (id, account_id, type, data)
    SELECT webhook_row_id('evt'), for_account, of_type, with_data WHERE EXISTS (SELECT FROM wanted)
    RETURNING id
  )
  INSERT INTO webhook_deliveries (id, event_id, webhook_id, account_id, status, next_attempt_at)
  SELECT webhook_row_id('whd'), event.id, wanted.id, for_account, state.status,
    CASE WHEN state.status = 'pending' THEN CURRENT_TIMESTAMP END
  FROM wanted, event, LATERAL (
    SELECT CASE WHEN count(*) < 10000 THEN 'pending' ELSE 'failed' END::webhook_delivery_status AS status
    FROM (SELECT FROM webhook_deliveries d WHERE d.webhook_id = wanted.id AND d.status = 'pending' LIMIT 10000) AS pending
  ) AS state
  RETURNING id
$$;

-- An impression costs as many millicents as the bid has cents.
CREATE FUNCTION record_campaign_exhausted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_webhook_event(
    (SELECT account_id FROM advertisers WHERE id = NEW.advertiser_id), 'campaign.exhausted',
    json_build_object('campaign_id', NEW.id, 'name', NEW.name, 'budget_cents', NEW.budget_cents,
      'spent_millicents', NEW.spent_millicents));
  RETURN NULL;
END $$;
CREATE TRIGGER campaigns_record_exhausted AFTER UPDATE OF spent_millicents, budget_cents, cpm_bid_cents ON campaigns
  FOR EACH ROW WHEN (NEW.status <> 'draft'
    AND OLD.spent_millicents + OLD.cpm_bid_cents <= OLD.budget_cents::bigint * 1000
    AND NEW.spent_millicents + NEW.cpm_bid_cents > NEW.budget_cents::bigint * 1000)
  EXECUTE FUNCTION record_campaign_exhausted();

CREATE FUNCTION record_campaign_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_webhook_event(
    (SELECT account_id FROM advertisers WHERE id = NEW.advertiser_id), 'campaign.ended',
    json_build_object('campaign_id', NEW.id, 'name', NEW.name, 'end_date', NEW.end_date));
  RETURN NULL;
END $$;
CREATE TRIGGER campaigns_record_ended AFTER UPDATE OF announced_end_date ON campaigns
  FOR EACH ROW WHEN (NEW.announced_end_date IS DISTINCT FROM OLD.announced_end_date)
  EXECUTE FUNCTION record_campaign_ended();

-- One event for each webhook whose threshold the balance has crossed.
CREATE FUNCTION record_balance_low() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before bigint := OLD.deposited_millicents - OLD.spent_millicents;
  after bigint := NEW.deposited_millicents - NEW.spent_millicents;
BEGIN
  PERFORM record_webhook_event(NEW.account_id, 'balance.low',
    json_build_object('advertiser_id', NEW.id, 'balance_millicents', after, 'threshold_cents', w.balance_low_cents), w.id)
  FROM webhooks w
  WHERE w.account_id = NEW.account_id AND w.is_active AND 'balance.low' = ANY(w.events)
    AND w.balance_low_cents::bigint * 1000 > after AND w.balance_low_cents::bigint * 1000 <= before;
  RETURN NULL;
END $$;
CREATE TRIGGER advertisers_record_balance_low AFTER UPDATE OF spent_millicents ON advertisers
  FOR EACH ROW WHEN (NEW.spent_millicents > OLD.spent_millicents)
  EXECUTE FUNCTION record_balance_low();
