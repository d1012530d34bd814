-- The epoch in which the advertiser's slot counts the record, so that nobody waits for it to be written. NULL: the slot was
-- restored without it, or is told to forget it.
ALTER TABLE poison_impressions ADD COLUMN slot_epoch BIGINT;

CREATE INDEX poison_impressions_advertiser_id_idx ON poison_impressions (advertiser_id);
