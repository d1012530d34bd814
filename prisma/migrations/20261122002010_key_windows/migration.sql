-- A key that replaces another continues its rate limit window: the id of the first key of the chain. NULL: its own.
ALTER TABLE api_keys ADD COLUMN rate_limit_key_id TEXT;

-- The limit of an account follows from the largest limit that one of its keys carries: few keys carry one.
CREATE INDEX api_keys_own_limits_idx ON api_keys (account_id, rate_limit_per_minute)
  WHERE rate_limit_per_minute > 0 AND revoked_at IS NULL;
