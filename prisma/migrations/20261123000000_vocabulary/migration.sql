-- The names that code and documents use (docs/glossary.md). Renames only; no row is rewritten.
ALTER SEQUENCE slot_epochs RENAME TO recovery_epochs;
ALTER TABLE advertisers RENAME COLUMN slot_epoch TO recovery_epoch;
ALTER TABLE advertisers RENAME COLUMN slot_verified_epoch TO verified_recovery_epoch;

ALTER TYPE slot_settlement_kind RENAME TO wallet_settlement_kind;
ALTER TABLE slot_settlements RENAME TO wallet_settlements;
ALTER TABLE wallet_settlements RENAME CONSTRAINT slot_settlements_pkey TO wallet_settlements_pkey;
ALTER INDEX slot_settlements_advertiser_id_idx RENAME TO wallet_settlements_advertiser_id_idx;
ALTER INDEX slot_settlements_open_idx RENAME TO wallet_settlements_open_idx;

ALTER TABLE poison_impressions RENAME TO quarantined_impressions;
ALTER TABLE quarantined_impressions RENAME COLUMN slot_epoch TO recovery_epoch;
ALTER TABLE quarantined_impressions RENAME COLUMN set_aside_at TO quarantined_at;
ALTER TABLE quarantined_impressions RENAME CONSTRAINT poison_impressions_pkey TO quarantined_impressions_pkey;
ALTER INDEX poison_impressions_advertiser_id_idx RENAME TO quarantined_impressions_advertiser_id_idx;

ALTER TABLE ledger_entries RENAME COLUMN posting_id TO entry_group_id;
ALTER FUNCTION check_posting_balance() RENAME TO check_entry_group_balance;
CREATE OR REPLACE FUNCTION check_entry_group_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  unbalanced text;
BEGIN
  SELECT entry_group_id INTO unbalanced FROM added WHERE kind <> 'deposit'
    GROUP BY entry_group_id HAVING sum(amount_microcents) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger entry group % does not sum to zero', unbalanced USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
