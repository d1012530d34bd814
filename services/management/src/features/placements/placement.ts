import {
  type CreativeType,
  DEFAULT_REVENUE_SHARE_PCT,
  InvalidInput,
  MAX_ADS_PER_SESSION,
  type PlacementCreate,
  type PlacementPatch,
} from "@diegetic/contracts";
import { type BasisPoints, percentToBasisPoints } from "@diegetic/money";

/** Settings that a developer chooses for ads in a game. */
export interface PlacementSettings {
  placementTypes: CreativeType[];
  revenueShareBasisPoints: BasisPoints;
  maxAdsPerSession: number;
  blockedAdvertisers: string[];
  blockedCategories: string[];
}

/** Settings of which only the types are required. */
export type NamedSettings = Pick<PlacementSettings, "placementTypes"> & Partial<PlacementSettings>;

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

/** The share in basis points; null and undefined: the default. */
function shareBasisPoints(percent: number | null | undefined): BasisPoints {
  const basisPoints = percentToBasisPoints(percent ?? DEFAULT_REVENUE_SHARE_PCT);
  if (basisPoints !== undefined) return basisPoints;
  throw new InvalidInput(422, `revenue_share_pct must have at most two decimals, but ${percent} was sent`);
}

/** Defaults for a game that is enabled for the first time. */
export const DEFAULT_SETTINGS: Omit<PlacementSettings, "placementTypes"> = {
  revenueShareBasisPoints: shareBasisPoints(null),
  maxAdsPerSession: MAX_ADS_PER_SESSION.default,
  blockedAdvertisers: [],
  blockedCategories: [],
};

/** The settings in a POST; absent ones stay as they are (docs/behaviour.md#enabling-a-placement). */
export function enabledSettings(request: PlacementCreate): NamedSettings {
  return { ...changedSettings(request), placementTypes: unique(request.placement_types) };
}

/** The settings in a body; null restores the default (docs/behaviour.md#absent-values). */
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
