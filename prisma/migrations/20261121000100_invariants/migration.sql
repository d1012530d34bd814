-- What Prisma cannot express. The database repeats the invariants: a bug fails here, instead of losing money quietly.

-- Versions of what is published: never ahead of the row.
ALTER TABLE api_keys ADD CONSTRAINT api_keys_published_version_check CHECK (published_version BETWEEN 0 AND version);
ALTER TABLE advertisers ADD CONSTRAINT advertisers_published_version_check CHECK (published_version BETWEEN 0 AND version);
ALTER TABLE campaigns ADD CONSTRAINT campaigns_published_version_check CHECK (published_version BETWEEN 0 AND version);
ALTER TABLE placements ADD CONSTRAINT placements_published_version_check CHECK (published_version BETWEEN 0 AND version);

-- The reconciling loop looks for rows whose publication a crash interrupted; as a rule there are none.
CREATE INDEX api_keys_unpublished_idx ON api_keys (id) WHERE published_version < version;
CREATE INDEX advertisers_unpublished_idx ON advertisers (id) WHERE published_version < version;
CREATE INDEX campaigns_unpublished_idx ON campaigns (id) WHERE published_version < version;
CREATE INDEX placements_unpublished_idx ON placements (game_id) WHERE published_version < version;

ALTER TABLE api_keys
  ADD CONSTRAINT api_keys_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  ADD CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) >= 1),
  ADD CONSTRAINT api_keys_rate_limit_check CHECK (rate_limit_per_minute = -1 OR rate_limit_per_minute >= 1);

-- 2^53 - 1: beyond it a JavaScript number would no longer be exact.
ALTER TABLE advertisers
  ADD CONSTRAINT advertisers_money_check CHECK (0 <= spent_millicents AND spent_millicents <= deposited_millicents),
  ADD CONSTRAINT advertisers_deposited_check CHECK (deposited_millicents <= 9007199254740991),
  ADD CONSTRAINT advertisers_impressions_check CHECK (impressions >= 0);

ALTER TABLE campaigns
  ADD CONSTRAINT campaigns_money_check CHECK (0 <= spent_millicents AND spent_millicents <= budget_cents::bigint * 1000),
  ADD CONSTRAINT campaigns_budget_check CHECK (budget_cents BETWEEN 1 AND 1000000000),
  ADD CONSTRAINT campaigns_daily_cap_check CHECK (daily_cap_cents BETWEEN 1 AND 1000000000),
  ADD CONSTRAINT campaigns_bid_check CHECK (cpm_bid_cents BETWEEN 100 AND 10000),
  ADD CONSTRAINT campaigns_priority_check CHECK (priority BETWEEN 0 AND 10),
  ADD CONSTRAINT campaigns_impressions_check CHECK (impressions >= 0);

ALTER TABLE creatives
  ADD CONSTRAINT creatives_max_uses_check CHECK (max_uses_per_game BETWEEN 1 AND 20),
  ADD CONSTRAINT creatives_hook_check CHECK (creative_type <> 'narrative_hook' OR narrative_hook IS NOT NULL),
  ADD CONSTRAINT creatives_impressions_check CHECK (impressions >= 0);

ALTER TABLE geo_targets
  ADD CONSTRAINT geo_targets_country_check CHECK (country_code ~ '^[A-Z]{2}$'),
  ADD CONSTRAINT geo_targets_position_check CHECK (lat BETWEEN -90 AND 90 AND lng BETWEEN -180 AND 180),
  ADD CONSTRAINT geo_targets_radius_check CHECK (radius_km > 0),
  ADD CONSTRAINT geo_targets_fields_check CHECK (
    CASE target_type
      WHEN 'country' THEN country_code IS NOT NULL
      WHEN 'state' THEN country_code IS NOT NULL AND state_code IS NOT NULL
      WHEN 'city' THEN country_code IS NOT NULL AND city_name IS NOT NULL
      WHEN 'radius' THEN lat IS NOT NULL AND lng IS NOT NULL AND radius_km IS NOT NULL
    END
  );

ALTER TABLE affinities ADD CONSTRAINT affinities_weight_check CHECK (weight BETWEEN 0.1 AND 3.0);

ALTER TABLE placements
  ADD CONSTRAINT placements_types_check CHECK (cardinality(placement_types) >= 1),
  ADD CONSTRAINT placements_share_check CHECK (revenue_share_basis_points BETWEEN 0 AND 10000),
  ADD CONSTRAINT placements_max_ads_check CHECK (max_ads_per_session BETWEEN 1 AND 50);

ALTER TABLE deposits ADD CONSTRAINT deposits_amount_check CHECK (amount_cents BETWEEN 1 AND 1000000000);

ALTER TABLE idempotency_keys
  ADD CONSTRAINT idempotency_keys_body_check CHECK (body_sha256 ~ '^[0-9a-f]{64}$'),
  ADD CONSTRAINT idempotency_keys_status_check CHECK (status BETWEEN 200 AND 599);

ALTER TABLE impressions
  ADD CONSTRAINT impressions_day_check CHECK (day = (recorded_at AT TIME ZONE 'UTC')::date),
  ADD CONSTRAINT impressions_country_check CHECK (country_code ~ '^[A-Z]{2}$'),
  ADD CONSTRAINT impressions_price_check CHECK (price_millicents > 0),
  ADD CONSTRAINT impressions_share_check CHECK (revenue_share_basis_points BETWEEN 0 AND 10000),
  ADD CONSTRAINT impressions_earning_check CHECK (earning_microcents BETWEEN 0 AND price_millicents * 1000);

ALTER TABLE campaign_rollups
  ADD CONSTRAINT campaign_rollups_impressions_check CHECK (impressions > 0),
  ADD CONSTRAINT campaign_rollups_spent_check CHECK (spent_millicents > 0);

ALTER TABLE game_rollups
  ADD CONSTRAINT game_rollups_impressions_check CHECK (impressions > 0),
  ADD CONSTRAINT game_rollups_earning_check CHECK (earning_microcents >= 0);

ALTER TABLE unique_user_counts ADD CONSTRAINT unique_user_counts_users_check CHECK (users > 0);

-- The ledger. Which columns a row fills and which sign it carries follows from its kind.
ALTER TABLE ledger_entries
  ADD CONSTRAINT ledger_entries_amount_check CHECK (
    CASE kind WHEN 'deposit' THEN amount_microcents > 0 WHEN 'charge' THEN amount_microcents < 0 ELSE amount_microcents >= 0 END
  ),
  ADD CONSTRAINT ledger_entries_subject_check CHECK (
    CASE WHEN kind = 'deposit'
      THEN campaign_id IS NULL AND game_id IS NULL AND impressions = 0
      ELSE campaign_id IS NOT NULL AND game_id IS NOT NULL AND impressions > 0
    END
  ),
  ADD CONSTRAINT ledger_entries_account_check CHECK ((account_id IS NULL) = (kind = 'fee'));

CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_entries_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();

-- charge + earning + fee = 0. A posting is inserted by one statement, so the check needs no look at older rows.
CREATE FUNCTION check_posting_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  unbalanced text;
BEGIN
  SELECT posting_id INTO unbalanced FROM added WHERE kind <> 'deposit'
    GROUP BY posting_id HAVING sum(amount_microcents) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger posting % does not sum to zero', unbalanced USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_entries_balanced
  AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION check_posting_balance();

-- Makes the partition of one day where it is missing. Attaching a finished table blocks neither reads nor writes of the
-- other days, as CREATE TABLE … PARTITION OF would. The advisory lock lets any number of callers ask for the same day, and
-- the look at pg_class sees what another one has made meanwhile (to_regclass may answer from a stale cache).
CREATE FUNCTION ensure_impression_partition(wanted date) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  partition_name text := 'impressions_' || to_char(wanted, 'YYYYMMDD');
BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE relname = partition_name AND relispartition) THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('ensure_impression_partition', 0));
  IF EXISTS (SELECT FROM pg_class WHERE relname = partition_name AND relispartition) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE impressions INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', partition_name);
  EXECUTE format('ALTER TABLE impressions ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition_name, wanted, wanted + 1);
  RETURN true;
END $$;
