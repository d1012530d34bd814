-- Set: the slot has it. Late charges are kept for some days then, because by so much, and no more, a slot may pass a limit.
ALTER TABLE slot_settlements ADD COLUMN settled_at TIMESTAMPTZ(3);

CREATE INDEX slot_settlements_open_idx ON slot_settlements (impression_id) WHERE settled_at IS NULL;
