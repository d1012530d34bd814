import {
  type CreativeType,
  DEFAULT_REVENUE_SHARE_PCT,
  InvalidInput,
  MAX_ADS_PER_SESSION,
  type PlacementCreate,
  type PlacementPatch,
} from "@diegetic/contracts";
import { type BasisPoints, percentToBasisPoints } from "@diegetic/money";

/** What a developer decides about ads in a game. */
export interface PlacementSettings {
  placementTypes: CreativeType[];
  revenueShareBasisPoints: BasisPoints;
  maxAdsPerSession: number;
  blockedAdvertisers: string[];
  blockedCategories: string[];
}

export interface Placement extends PlacementSettings {
  gameId: string;
  accountId: string;
  creatorId: string;
  isActive: boolean;
  createdAt: Date;
}

function unique<T>(entries: readonly T[]): T[] {
  return [...new Set(entries)];
}

/** The share in basis points; null and undefined stand for the default. */
function shareBasisPoints(percent: number | null | undefined): BasisPoints {
  const basisPoints = percentToBasisPoints(percent ?? DEFAULT_REVENUE_SHARE_PCT);
  if (basisPoints !== undefined) return basisPoints;
  throw new InvalidInput(422, `revenue_share_pct must have at most two decimals, but ${percent} was sent`);
}

/** The settings of a placement that is created or replaced: what is left out returns to its default. */
export function newSettings(request: PlacementCreate): PlacementSettings {
  return {
    placementTypes: unique(request.placement_types),
    revenueShareBasisPoints: shareBasisPoints(request.revenue_share_pct),
    maxAdsPerSession: request.max_ads_per_session ?? MAX_ADS_PER_SESSION.default,
    blockedAdvertisers: unique(request.blocked_advertisers ?? []),
    blockedCategories: unique(request.blocked_categories ?? []),
  };
}

/** The settings that a PATCH names; null goes back to the default (docs/behaviour.md#absent-values). */
export function changedSettings(patch: PlacementPatch): Partial<PlacementSettings> {
  const changed: Partial<PlacementSettings> = {};
  if (patch.placement_types !== undefined) changed.placementTypes = unique(patch.placement_types);
  if (patch.revenue_share_pct !== undefined) {
    changed.revenueShareBasisPoints = shareBasisPoints(patch.revenue_share_pct);
  }
  if (patch.max_ads_per_session !== undefined) {
    changed.maxAdsPerSession = patch.max_ads_per_session ?? MAX_ADS_PER_SESSION.default;
  }
  if (patch.blocked_advertisers !== undefined) {
    changed.blockedAdvertisers = unique(patch.blocked_advertisers ?? []);
  }
  if (patch.blocked_categories !== undefined) {
    changed.blockedCategories = unique(patch.blocked_categories ?? []);
  }
  return changed;
}
