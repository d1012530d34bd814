import { comparable, comparableSet } from "../text/equality.ts";
import type { Campaign } from "../types/campaign.ts";
import type { Placement } from "../types/request.ts";

/**
 * The names by which a placement can block a campaign. Rule 2: the placement is active, the advertiser is not in
 * blocked_advertisers, and none of blocked_categories is among the campaign's categories
 * (docs/behaviour.md#rule-2-placement).
 */
export interface BlockableNames {
  advertiser: string;
  /** Its target_categories and the values of its `category` affinities. */
  categories: ReadonlySet<string>;
}

/** What a placement blocks. */
export interface PreparedPlacement {
  isActive: boolean;
  blockedAdvertisers: ReadonlySet<string>;
  blockedCategories: ReadonlySet<string>;
}

/** Normalises the names once, for all requests. */
export function compileBlockableNames(
  campaign: Pick<Campaign, "advertiser_id" | "target_categories" | "affinities">,
): BlockableNames {
  const affine = campaign.affinities.filter((affinity) => affinity.affinity_type === "category");
  return {
    advertiser: comparable(campaign.advertiser_id),
    categories: comparableSet([...campaign.target_categories, ...affine.map((one) => one.affinity_value)]),
  };
}

/** Normalises the lists once, for all campaigns. */
export function preparePlacement(
  placement: Pick<Placement, "is_active" | "blocked_advertisers" | "blocked_categories">,
): PreparedPlacement {
  return {
    isActive: placement.is_active,
    blockedAdvertisers: comparableSet(placement.blocked_advertisers),
    blockedCategories: comparableSet(placement.blocked_categories),
  };
}
