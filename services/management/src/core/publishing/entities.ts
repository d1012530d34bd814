import {
  entityName,
  type MemberRole,
  PUBLISHED_SETTINGS,
  type PublishedSetting,
  type SnapshotAdvertiser,
  type SnapshotAffinity,
  type SnapshotApiKey,
  type SnapshotCampaign,
  type SnapshotCreative,
  type SnapshotPlacement,
  type SnapshotSession,
} from "@diegetic/contracts";
import type { Prisma } from "@diegetic/database";
import type { SnapshotEntry } from "@diegetic/hot-state";
import type { Affinity } from "../campaign-rows/affinities.ts";
import { settingFields } from "../campaign-rows/campaign.ts";
import type { Creative } from "../campaign-rows/creative.ts";
import type { WholeCampaign } from "../campaign-rows/statements.ts";
import { limitFromColumn } from "../shared/limit-column.ts";

type AdvertiserRow = Prisma.AdvertiserGetPayload<object>;
type PlacementRow = Prisma.PlacementGetPayload<object>;
type ApiKeyRow = Prisma.ApiKeyGetPayload<object>;
/** A session with the user's role in the account; null: the user is no longer a member. */
export type SessionRow = Prisma.AccountSessionGetPayload<object> & { role: MemberRole | null };

function entry(name: string, version: number, entity: object | null): SnapshotEntry {
  return { name, rowVersion: version, json: entity === null ? null : JSON.stringify(entity) };
}

export function advertiserEntry(row: AdvertiserRow): SnapshotEntry {
  const entity: SnapshotAdvertiser = {
    advertiser_id: row.id,
    account_id: row.accountId,
    version: row.version,
    ...(row.walletSlices > 1 && { wallet_slices: row.walletSlices }),
  };
  return entry(entityName.advertiser(row.id), row.version, entity);
}

export function snapshotCreative(creative: Creative): SnapshotCreative {
  return {
    creative_id: creative.id,
    creative_type: creative.creativeType,
    brand_name: creative.brandName,
    product_name: creative.productName,
    tagline: creative.tagline,
    narrative_hook: creative.narrativeHook,
    alt_hooks: creative.altHooks,
    tone: creative.tone,
    max_uses_per_game: creative.maxUsesPerGame,
  };
}

export function snapshotAffinity(affinity: Affinity): SnapshotAffinity {
  return {
    affinity_id: affinity.id,
    affinity_type: affinity.affinityType,
    affinity_value: affinity.affinityValue,
    weight: affinity.weight,
  };
}

function publishedSettings(row: WholeCampaign): Pick<SnapshotCampaign, PublishedSetting> {
  const fields = settingFields(row);
  return Object.fromEntries(PUBLISHED_SETTINGS.map((name) => [name, fields[name]])) as typeof fields;
}

/** The campaign with everything that matching and scoring need. */
export function campaignEntity(row: WholeCampaign): SnapshotCampaign {
  return {
    campaign_id: row.id,
    advertiser_id: row.advertiserId,
    version: row.version,
    status: row.status,
    ...publishedSettings(row),
    creatives: row.creatives.map(snapshotCreative),
    geo_targets: row.geoTargets.map((target) => ({
      geo_target_id: target.id,
      target_type: target.targetType,
      country_code: target.countryCode,
      state_code: target.stateCode,
      city_name: target.cityName,
      lat: target.lat,
      lng: target.lng,
      radius_km: target.radiusKm,
      include: target.include,
    })),
    blocklist: row.blocklistRules.map((rule) => ({ rule_type: rule.ruleType, value: rule.value })),
    affinities: row.affinities.map(snapshotAffinity),
  };
}

/**
 * An active campaign in full. For a draft or a paused campaign, match instances need only its owner and creative ids
 * (for impressions of earlier matches), so texts and targets are omitted.
 */
export function campaignEntry(row: WholeCampaign): SnapshotEntry {
  const entity = row.status === "active" ? campaignEntity(row) : withoutContent(campaignEntity(row));
  return entry(entityName.campaign(row.id), row.version, entity);
}

function withoutContent(campaign: SnapshotCampaign): SnapshotCampaign {
  return {
    ...campaign,
    target_categories: [],
    target_tags: [],
    creatives: campaign.creatives.map((creative) => ({
      ...creative,
      brand_name: "",
      product_name: null,
      tagline: null,
      narrative_hook: null,
      alt_hooks: [],
    })),
    geo_targets: [],
    blocklist: [],
    affinities: [],
  };
}

export function placementEntity(row: PlacementRow): SnapshotPlacement {
  return {
    game_id: row.gameId,
    account_id: row.accountId,
    version: row.version,
    is_active: row.isActive,
    placement_types: row.placementTypes,
    revenue_share_basis_points: row.revenueShareBasisPoints,
    max_ads_per_session: row.maxAdsPerSession,
    blocked_advertisers: row.blockedAdvertisers,
    blocked_categories: row.blockedCategories,
  };
}

export function placementEntry(row: PlacementRow): SnapshotEntry {
  return entry(entityName.placement(row.gameId), row.version, placementEntity(row));
}

/** A revoked key is removed; an expiring key carries its expiry, which the match tier checks. */
export function apiKeyEntry(row: ApiKeyRow): SnapshotEntry {
  const entity: SnapshotApiKey = {
    key_id: row.id,
    account_id: row.accountId,
    version: row.version,
    scopes: row.scopes,
    rate_limit_per_minute: limitFromColumn(row.rateLimitPerMinute),
    ...(row.rateLimitKeyId !== null && { rate_limit_key_id: row.rateLimitKeyId }),
    expires_at_ms: row.expiresAt?.getTime() ?? null,
  };
  return entry(entityName.apiKey(row.sha256), row.version, row.revokedAt === null ? entity : null);
}

/** An ended session is removed, and so is that of a former member. */
export function sessionEntry(row: SessionRow): SnapshotEntry {
  const name = entityName.session(row.sha256);
  if (row.role === null || row.revokedAt !== null) return entry(name, row.version, null);
  const entity: SnapshotSession = {
    session_id: row.id,
    user_id: row.userId,
    account_id: row.accountId,
    version: row.version,
    role: row.role,
    expires_at_ms: row.expiresAt.getTime(),
  };
  return entry(name, row.version, entity);
}
