-- What is left of days whose impressions were dropped (IMPRESSION_RETENTION_DAYS): sums by which reconciliation still
-- compares every total, and the days themselves, into which nothing may be written again.
CREATE TABLE dropped_impression_days (
    day DATE NOT NULL,
    impressions BIGINT NOT NULL,
    spent_millicents BIGINT NOT NULL,
    earning_microcents BIGINT NOT NULL,
    dropped_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT dropped_impression_days_pkey PRIMARY KEY (day)
);

CREATE TYPE dropped_dimension AS ENUM ('creative', 'country', 'game', 'version', 'affinity');

CREATE TABLE dropped_impression_sums (
    campaign_id TEXT NOT NULL,
    dimension dropped_dimension NOT NULL,
    member TEXT NOT NULL,
    account_id TEXT NOT NULL,
    impressions BIGINT NOT NULL,
    spent_millicents BIGINT NOT NULL,
    earning_microcents BIGINT NOT NULL,
    affinity_score_sum DECIMAL(24,6) NOT NULL,

    CONSTRAINT dropped_impression_sums_pkey PRIMARY KEY (campaign_id, dimension, member, account_id),
    CONSTRAINT dropped_impression_sums_check CHECK (impressions > 0)
);

-- Returns NULL, and creates nothing, when the day or one beside it was dropped: an impression may be stored there.
CREATE OR REPLACE FUNCTION ensure_impression_partition(wanted date) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  partition_name text := 'impressions_' || to_char(wanted, 'YYYYMMDD');
BEGIN
  IF EXISTS (SELECT FROM dropped_impression_days WHERE day BETWEEN wanted - 1 AND wanted + 1) THEN
    RETURN NULL;
  END IF;
  IF EXISTS (SELECT FROM pg_class WHERE relname = partition_name AND relispartition) THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('ensure_impression_partition', 0));
  -- What another caller did while this one waited.
  IF EXISTS (SELECT FROM dropped_impression_days WHERE day BETWEEN wanted - 1 AND wanted + 1) THEN
    RETURN NULL;
  END IF;
  IF EXISTS (SELECT FROM pg_class WHERE relname = partition_name AND relispartition) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE impressions INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', partition_name);
  EXECUTE format('ALTER TABLE impressions ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition_name, wanted, wanted + 1);
  RETURN true;
END $$;
