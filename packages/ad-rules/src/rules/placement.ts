import { comparable, comparableSet } from "../text/equality.ts";
import type { Campaign, CreativeType } from "../types/campaign.ts";
import type { Placement } from "../types/request.ts";
import { creativesOfTypes } from "./creative-type.ts";
import { defineRule } from "./rule.ts";
import { listed, quotedOnce } from "./wording.ts";

/** The names by which a placement can block a campaign. */
export interface BlockableNames {
  advertiser: string;
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
  const categories = comparableSet(categoriesOf(campaign));
  return { advertiser: comparable(campaign.advertiser_id), categories };
}

/** Its target_categories and the values of its `category` affinities. */
function categoriesOf(campaign: Pick<Campaign, "target_categories" | "affinities">): string[] {
  const affine = campaign.affinities.filter((affinity) => affinity.affinity_type === "category");
  return [...campaign.target_categories, ...affine.map((affinity) => affinity.affinity_value)];
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

/**
 * Rule 2: the placement is active, the advertiser is not in blocked_advertisers, and none of blocked_categories is among
 * the campaign's categories (docs/behaviour.md#rule-2-placement). Rule 3: see `creativesOfTypes`.
 */
export const placementRule = defineRule(
  {
    placement_active: { code: 201, meaning: "The game's placement is active." },
    blocked_advertisers: { code: 202, meaning: "The placement does not block the advertiser." },
    blocked_categories: {
      code: 203,
      meaning:
        "The placement blocks none of the campaign's categories: its targets and its category affinities.",
    },
    placement_types: { code: 204, meaning: "The placement accepts the type of one of the creatives." },
  },
  (
    { source, names }: { source: Campaign; names: BlockableNames },
    { prepared }: { prepared: { placement: PreparedPlacement; placementTypes: readonly CreativeType[] } },
  ) => {
    const { isActive, blockedAdvertisers, blockedCategories } = prepared.placement;
    const categories = categoriesOf(source);
    const blocked = categories.filter((category) => blockedCategories.has(comparable(category)));
    const own = [...new Set(source.creatives.map((creative) => creative.creative_type))];
    const accepted = creativesOfTypes(source.creatives, prepared.placementTypes);
    return {
      placement_active: [isActive, `The placement of the game is ${isActive ? "active" : "disabled"}.`],
      blocked_advertisers: [
        !blockedAdvertisers.has(names.advertiser),
        blockedAdvertisers.has(names.advertiser)
          ? `The placement blocks the advertiser ${source.advertiser_id}.`
          : blockedAdvertisers.size === 0
            ? "The placement blocks no advertisers."
            : `The advertiser ${source.advertiser_id} is not among those that the placement blocks (${blockedAdvertisers.size}).`,
      ],
      blocked_categories: [
        blocked.length === 0,
        blocked.length === 0
          ? nothingBlocked(categories, blockedCategories.size)
          : `The placement blocks ${quotedOnce(blocked)}, which the campaign targets or is affine to.`,
      ],
      placement_types: [
        accepted.length > 0,
        `The placement accepts ${listed(prepared.placementTypes) || "nothing"}; the campaign has ${listed(own) || "no creatives"}.`,
      ],
    };
  },
);

function nothingBlocked(categories: readonly string[], blockedCategories: number): string {
  if (blockedCategories === 0) return "The placement blocks no categories.";
  if (categories.length === 0) return "The campaign has no categories that the placement could block.";
  return `The campaign's categories (${quotedOnce(categories)}) are not among those that the placement blocks (${blockedCategories}).`;
}
