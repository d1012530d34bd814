-- Sizes are kept beside the rows, so that a change compares two numbers instead of measuring a whole account.
-- Bytes of the JSON that is published, as of the last change that could make it larger or smaller.
ALTER TABLE accounts ADD COLUMN published_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN published_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE placements ADD COLUMN published_bytes INTEGER NOT NULL DEFAULT 0;

-- What there is already may be over a limit: it stays, and may only shrink.
UPDATE campaigns SET published_bytes = octet_length(row_to_json(entity)::text)
FROM (
  SELECT id AS campaign_id, advertiser_id, version, status, cpm_bid_cents, priority, start_date, end_date,
    target_categories, target_tags,
    (SELECT coalesce(array_to_json(array_agg(row_to_json(part))), '[]') FROM (
      SELECT id AS creative_id, creative_type, brand_name, product_name, tagline, narrative_hook, alt_hooks, tone,
        max_uses_per_game
      FROM creatives WHERE campaign_id = campaigns.id AND deleted_at IS NULL) AS part) AS creatives,
    (SELECT coalesce(array_to_json(array_agg(row_to_json(part))), '[]') FROM (
      SELECT id AS geo_target_id, target_type, country_code, state_code, city_name, lat, lng, radius_km, include
      FROM geo_targets WHERE campaign_id = campaigns.id) AS part) AS geo_targets,
    (SELECT coalesce(array_to_json(array_agg(row_to_json(part))), '[]') FROM (
      SELECT rule_type, value FROM blocklist_rules WHERE campaign_id = campaigns.id) AS part) AS blocklist,
    (SELECT coalesce(array_to_json(array_agg(row_to_json(part))), '[]') FROM (
      SELECT id AS affinity_id, affinity_type, affinity_value, weight
      FROM affinities WHERE campaign_id = campaigns.id) AS part) AS affinities
  FROM campaigns
) AS entity
WHERE entity.campaign_id = campaigns.id;

UPDATE placements SET published_bytes = octet_length(row_to_json(entity)::text)
FROM (
  SELECT game_id, account_id, version, is_active, placement_types, revenue_share_basis_points, max_ads_per_session,
    blocked_advertisers, blocked_categories
  FROM placements
) AS entity
WHERE entity.game_id = placements.game_id;

UPDATE accounts SET published_bytes =
  (SELECT coalesce(sum(campaigns.published_bytes), 0)
   FROM campaigns JOIN advertisers ON advertisers.id = campaigns.advertiser_id
   WHERE advertisers.account_id = accounts.id)
  + (SELECT coalesce(sum(published_bytes), 0) FROM placements WHERE placements.account_id = accounts.id);

ALTER TABLE accounts ADD CONSTRAINT accounts_published_bytes_check CHECK (published_bytes >= 0);
ALTER TABLE campaigns ADD CONSTRAINT campaigns_published_bytes_check CHECK (published_bytes >= 0);
ALTER TABLE placements ADD CONSTRAINT placements_published_bytes_check CHECK (published_bytes >= 0);
