import type { AffinityBody } from "./api/affinities.ts";
import type { BlocklistRuleBody } from "./api/blocklist.ts";
import type { CampaignBody } from "./api/campaigns.ts";
import type { CreativeBody } from "./api/creatives.ts";
import type { GeoTargetBody } from "./api/geo-targets.ts";
import type { CampaignStatus, CreativeType, MemberRole, Scope } from "./definition/enumerations.ts";

/**
 * What management publishes to Redis and match instances read: plain JSON, snake_case, money in the unit of the name.
 * `version` is the row's version in Postgres; an older version never replaces a newer one.
 */

/** Fields of a campaign's parts that only the API has. */
type OnlyInApi = "id" | "campaign_id" | "created_at";

/** Content that a game can show; `max_uses_per_game` is per player session. */
export interface SnapshotCreative extends Omit<CreativeBody, OnlyInApi | "impressions"> {
  creative_id: string;
}

/** A place to serve in, or not to serve in (include=false). Fields that its type does not need are null. */
export interface SnapshotGeoTarget extends Omit<GeoTargetBody, OnlyInApi> {
  geo_target_id: string;
}

/** The campaign does not serve when the value occurs in the context. */
export interface SnapshotBlocklistRule extends Omit<BlocklistRuleBody, OnlyInApi> {}

/** Adds `weight` to the score when the value occurs in the context. Oldest first: of equal weights, the older affinity wins. */
export interface SnapshotAffinity extends Omit<AffinityBody, OnlyInApi> {
  affinity_id: string;
}

/** Settings of a campaign that matching needs; those about money are in the advertiser's wallet. */
export const PUBLISHED_SETTINGS = [
  "cpm_bid_cents",
  "priority",
  "start_date",
  "end_date",
  "target_categories",
  "target_tags",
] as const satisfies readonly (keyof CampaignBody)[];
export type PublishedSetting = (typeof PUBLISHED_SETTINGS)[number];

/**
 * An active campaign with everything that matching and scoring need; its money is in the advertiser's wallet. A
 * campaign in another status has only its ids: no targets, no affinities, no creative texts.
 */
export interface SnapshotCampaign extends Pick<CampaignBody, PublishedSetting> {
  campaign_id: string;
  advertiser_id: string;
  version: number;
  status: CampaignStatus;
  /** Each list is oldest first. */
  creatives: SnapshotCreative[];
  geo_targets: SnapshotGeoTarget[];
  blocklist: SnapshotBlocklistRule[];
  affinities: SnapshotAffinity[];
}

/** Published again after every deposit, so that instances drop a remembered empty balance. */
export interface SnapshotAdvertiser {
  advertiser_id: string;
  account_id: string;
  version: number;
  /** Slices of the wallet, the advertiser's own included; absent: 1. */
  wallet_slices?: number;
}

export interface SnapshotPlacement {
  game_id: string;
  /** The account that owns the placement and earns its share. */
  account_id: string;
  version: number;
  is_active: boolean;
  placement_types: CreativeType[];
  /** The developer's share in hundredths of a percent: 7000 is 70 %. */
  revenue_share_basis_points: number;
  max_ads_per_session: number;
  blocked_advertisers: string[];
  blocked_categories: string[];
}

/** An API key, identified by the SHA-256 of its secret; a revoked one is removed from the snapshot. */
export interface SnapshotApiKey {
  key_id: string;
  account_id: string;
  version: number;
  scopes: Scope[];
  /** Requests per minute in each group; null: the service's defaults. */
  rate_limit_per_minute: number | "unlimited" | null;
  /** The key whose rate-limit window it shares; absent: `key_id`, its own. */
  rate_limit_key_id?: string;
  /** Unix milliseconds at which the key expires; null: never. */
  expires_at_ms: number | null;
}

/** A session, identified by the SHA-256 of its cookie's value; an ended one is removed from the snapshot. */
export interface SnapshotSession {
  session_id: string;
  user_id: string;
  account_id: string;
  version: number;
  role: MemberRole;
  /** Unix milliseconds at which the session expires. */
  expires_at_ms: number;
}

/** Entity names in the snapshot's hash and change log. */
export const entityName = {
  campaign: (campaignId: string) => `campaign:${campaignId}`,
  advertiser: (advertiserId: string) => `advertiser:${advertiserId}`,
  placement: (gameId: string) => `placement:${gameId}`,
  apiKey: (sha256Hex: string) => `key:${sha256Hex}`,
  session: (sha256Hex: string) => `session:${sha256Hex}`,
};
