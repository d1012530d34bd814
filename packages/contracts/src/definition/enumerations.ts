/** Enumerations that several parts share. */

export const CAMPAIGN_STATUSES = ["draft", "active", "paused"] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

export const CREATIVE_TYPES = [
  "narrative_hook",
  "product_mention",
  "location_brand",
  "character_reference",
] as const;
export type CreativeType = (typeof CREATIVE_TYPES)[number];

export const TONES = ["positive", "neutral", "humorous", "dramatic"] as const;
export type Tone = (typeof TONES)[number];

export const GEO_TARGET_TYPES = ["country", "state", "city", "radius"] as const;
export type GeoTargetType = (typeof GEO_TARGET_TYPES)[number];

export const BLOCKLIST_RULE_TYPES = ["keyword", "theme", "category", "action", "game_id"] as const;
export type BlocklistRuleType = (typeof BLOCKLIST_RULE_TYPES)[number];

export const AFFINITY_TYPES = [
  "action",
  "location",
  "theme",
  "mood",
  "category",
  "lighting",
  "effects",
  "camera",
] as const;
export type AffinityType = (typeof AFFINITY_TYPES)[number];

/**
 * Reasons for no match, in the header X-No-Match-Reason (docs/behaviour.md#reasons-for-no-match). Visible to game developers, so
 * none reveals anything about single advertisers.
 */
export const NO_MATCH_REASONS = [
  "placement_disabled",
  "no_campaigns",
  "no_eligible_campaign",
  "session_cap",
  "budget",
] as const;
export type NoMatchReason = (typeof NO_MATCH_REASONS)[number];

/** Scopes of a key (docs/behaviour.md#key-scopes). */
export const SCOPES = ["advertiser", "developer", "serving"] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles of an account's members, in ascending order of permissions. */
export const MEMBER_ROLES = ["viewer", "manager", "owner"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
