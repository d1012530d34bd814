-- Each restoring of an advertiser's slot in Redis gets a number of its own, also one that is rolled back or fails half-way.
CREATE SEQUENCE slot_epochs MINVALUE 1;

-- 0: never restored.
ALTER TABLE advertisers ADD COLUMN slot_epoch BIGINT NOT NULL DEFAULT 0;

CREATE TYPE slot_settlement_kind AS ENUM ('late', 'reversed');

CREATE TABLE slot_settlements (
    impression_id TEXT NOT NULL,
    kind slot_settlement_kind NOT NULL,
    advertiser_id TEXT NOT NULL,
    campaign_id TEXT NOT NULL,
    game_id TEXT NOT NULL,
    match_id TEXT NOT NULL,
    price_millicents BIGINT NOT NULL,
    day DATE NOT NULL,
    committed_in_epoch BIGINT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT slot_settlements_pkey PRIMARY KEY (impression_id, kind)
);

CREATE INDEX slot_settlements_advertiser_id_idx ON slot_settlements (advertiser_id);
