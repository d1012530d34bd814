-- What an operator has settled by hand is a difference no longer. The row stays: its record is never written.
ALTER TABLE poison_impressions ADD COLUMN resolved_at TIMESTAMPTZ(3), ADD COLUMN resolution TEXT;
