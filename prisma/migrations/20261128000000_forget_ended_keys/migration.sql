-- Keys and invitations are deleted some time after their end.
CREATE INDEX api_keys_expired_idx ON api_keys (expires_at) WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX api_keys_revoked_idx ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX account_invitations_expires_at_idx ON account_invitations (expires_at);
