import {
  type CreativeType,
  DEFAULT_REVENUE_SHARE_PCT,
  InvalidInput,
  MAX_ADS_PER_SESSION,
  type PlacementCreate,
  type PlacementPatch,
} from "@diegetic/contracts";
import { type BasisPoints, percentToBasisPoints } from "@diegetic/money";
import { orDefault, sentFields } from "../../core/shared/patch.ts";

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

/** Undefined: not sent. */
function unique<T>(entries: readonly T[] | undefined): T[] | undefined {
  return entries && [...new Set(entries)];
}

/** The share in basis points; null: the default. */
function shareBasisPoints(percent: number | null): BasisPoints {
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
  return { ...changedSettings(request), placementTypes: [...new Set(request.placement_types)] };
}

/** The settings in a body. */
export function changedSettings(patch: PlacementPatch): Partial<PlacementSettings> {
  const { revenue_share_pct: percent } = patch;
  return sentFields({
    placementTypes: unique(patch.placement_types),
    revenueShareBasisPoints: percent === undefined ? undefined : shareBasisPoints(percent),
    maxAdsPerSession: orDefault(patch.max_ads_per_session, MAX_ADS_PER_SESSION.default),
    blockedAdvertisers: unique(orDefault(patch.blocked_advertisers, [])),
    blockedCategories: unique(orDefault(patch.blocked_categories, [])),
  });
}
