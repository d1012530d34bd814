import type { Affinity, Campaign, Creative, GeoTarget } from "../src/types/campaign.ts";
import type { Placement } from "../src/types/request.ts";

/** A creative with a hook. Pass only the fields that matter to the test. */
export function creative(fields: Partial<Creative> = {}): Creative {
  return {
    creative_id: "crt_1",
    creative_type: "narrative_hook",
    brand_name: "Brand",
    product_name: null,
    tagline: null,
    narrative_hook: "A hook.",
    alt_hooks: [],
    tone: "neutral",
    max_uses_per_game: 3,
    ...fields,
  };
}

/** An active campaign with one creative and no targeting. Pass only the fields that matter to the test. */
export function campaign(fields: Partial<Campaign> = {}): Campaign {
  return {
    campaign_id: "camp_1",
    advertiser_id: "adv_1",
    version: 1,
    status: "active",
    cpm_bid_cents: 1000,
    priority: 5,
    start_date: null,
    end_date: null,
    target_categories: [],
    target_tags: [],
    creatives: [creative()],
    geo_targets: [],
    blocklist: [],
    affinities: [],
    ...fields,
  };
}

/** An active placement that accepts every type and blocks nothing. */
export function placement(fields: Partial<Placement> = {}): Placement {
  return {
    game_id: "game-1",
    is_active: true,
    placement_types: ["narrative_hook", "product_mention", "location_brand", "character_reference"],
    blocked_advertisers: [],
    blocked_categories: [],
    ...fields,
  };
}

/** A geo target without a place. */
export function geoTarget(fields: Partial<GeoTarget> & Pick<GeoTarget, "target_type">): GeoTarget {
  return {
    geo_target_id: "geo_1",
    country_code: null,
    state_code: null,
    city_name: null,
    lat: null,
    lng: null,
    radius_km: null,
    include: true,
    ...fields,
  };
}

/** Affinities with ids in list order, oldest first. */
export function affinities(
  ...list: [type: Affinity["affinity_type"], value: string, weight?: number][]
): Affinity[] {
  return list.map(([affinity_type, affinity_value, weight = 1], index) => ({
    affinity_id: `aff_${index}`,
    affinity_type,
    affinity_value,
    weight,
  }));
}
