/** Enumerations that API and snapshot share. */

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
export type Scope = "advertiser" | "developer" | "serving";
/** Roles of an account's members, in ascending order of permissions. */
export const MEMBER_ROLES = ["viewer", "manager", "owner"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
