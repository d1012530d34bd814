import type { Cents } from "@diegetic/money";

/**
 * A campaign and its parts as the snapshot carries them: plain JSON in snake_case. Declared here again so that the rules
 * depend on nothing but money.
 */

export type CampaignStatus = "draft" | "active" | "paused";
export type CreativeType = "narrative_hook" | "product_mention" | "location_brand" | "character_reference";
export type Tone = "positive" | "neutral" | "humorous" | "dramatic";
export type GeoTargetType = "country" | "state" | "city" | "radius";
export type BlocklistRuleType = "keyword" | "theme" | "category" | "action" | "game_id";
export type AffinityType =
  | "action"
  | "location"
  | "theme"
  | "mood"
  | "category"
  | "lighting"
  | "effects"
  | "camera";

/** Content that a game can show; `max_uses_per_game` is per player session. */
export interface Creative {
  creative_id: string;
  creative_type: CreativeType;
  brand_name: string;
  product_name: string | null;
  tagline: string | null;
  narrative_hook: string | null;
  alt_hooks: string[];
  tone: Tone;
  max_uses_per_game: number;
}

/** A place to serve in, or not to serve in (include=false). Fields that its type does not need are null. */
export interface GeoTarget {
  geo_target_id: string;
  target_type: GeoTargetType;
  country_code: string | null;
  state_code: string | null;
  city_name: string | null;
  lat: number | null;
  lng: number | null;
  radius_km: number | null;
  include: boolean;
}

/** The campaign does not serve when the value occurs in the context. */
export interface BlocklistRule {
  rule_type: BlocklistRuleType;
  value: string;
}

/** Adds `weight` to the score when the value occurs in the context. */
export interface Affinity {
  affinity_id: string;
  affinity_type: AffinityType;
  affinity_value: string;
  weight: number;
}

/** A campaign in any status. Each list is ordered from the oldest entry to the newest. */
export interface Campaign {
  campaign_id: string;
  advertiser_id: string;
  version: number;
  status: CampaignStatus;
  cpm_bid_cents: Cents;
  priority: number;
  start_date: string | null;
  end_date: string | null;
  target_categories: string[];
  target_tags: string[];
  creatives: Creative[];
  geo_targets: GeoTarget[];
  blocklist: BlocklistRule[];
  affinities: Affinity[];
}
