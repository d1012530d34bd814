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

/** Settings of which only the types must be named. */
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

/** The share in basis points; null and undefined stand for the default. */
function shareBasisPoints(percent: number | null | undefined): BasisPoints {
  const basisPoints = percentToBasisPoints(percent ?? DEFAULT_REVENUE_SHARE_PCT);
  if (basisPoints !== undefined) return basisPoints;
  throw new InvalidInput(422, `revenue_share_pct must have at most two decimals, but ${percent} was sent`);
}

/** The settings of a game that is enabled for the first time, apart from those that the request names. */
export const DEFAULT_SETTINGS: Omit<PlacementSettings, "placementTypes"> = {
  revenueShareBasisPoints: shareBasisPoints(null),
  maxAdsPerSession: MAX_ADS_PER_SESSION.default,
  blockedAdvertisers: [],
  blockedCategories: [],
};

/** The settings that POST names; those that it does not name stay as they are (docs/behaviour.md#enabling-a-placement). */
export function enabledSettings(request: PlacementCreate): NamedSettings {
  return { ...changedSettings(request), placementTypes: unique(request.placement_types) };
}

/** The settings that a body names; null goes back to the default (docs/behaviour.md#absent-values). */
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
