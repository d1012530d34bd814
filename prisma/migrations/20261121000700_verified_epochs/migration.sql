-- The epoch that the slot in Redis is known to have been restored with: no older one is trusted, a later one may have been
-- begun without having reached Redis.
ALTER TABLE advertisers ADD COLUMN slot_verified_epoch BIGINT NOT NULL DEFAULT 0;

UPDATE advertisers SET slot_verified_epoch = slot_epoch;
