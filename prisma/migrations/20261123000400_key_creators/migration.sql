-- Who made a key, by signing in or by an earlier key: so that an account can end the keys of a member who leaves. NULL: a command, or unknown.
ALTER TABLE api_keys ADD COLUMN created_by_user_id TEXT;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_created_by_user_id_fkey
  FOREIGN KEY (created_by_user_id) REFERENCES users (id) ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX api_keys_created_by_user_id_idx ON api_keys (created_by_user_id);
