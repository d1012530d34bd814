import type { Millicents } from "@diegetic/money";

/** What a wallet, or a campaign in it, has spent and holds. */
export interface SpentTotals {
  spentMillicents: Millicents;
  heldMillicents: Millicents;
  impressions: number;
}

/** Totals as they are stored in one wallet. */
export interface StoredTotals extends SpentTotals {
  /** What of these totals slices have reported and were granted; absent: nothing. Only in an advertiser's own wallet. */
  sliced?: SpentTotals;
}

/** What one wallet itself has spent on a campaign and holds. */
export interface OwnTotals extends SpentTotals {
  /** Of a slice: what open holds need of what it was granted and has not spent. It may be less than they hold. */
  reservedMillicents: Millicents;
}

/** What a wallet itself has spent and holds, without what is in slices. */
export function ownTotals({ sliced, ...totals }: StoredTotals): SpentTotals {
  return {
    spentMillicents: totals.spentMillicents - (sliced?.spentMillicents ?? 0),
    heldMillicents: totals.heldMillicents - (sliced?.heldMillicents ?? 0),
    impressions: totals.impressions - (sliced?.impressions ?? 0),
  };
}

/** What an advertiser's own wallet and its slices have spent and hold together. */
export function sumTotals(wallets: readonly StoredTotals[]): SpentTotals {
  const sum: SpentTotals = { spentMillicents: 0, heldMillicents: 0, impressions: 0 };
  for (const { spentMillicents, heldMillicents, impressions } of wallets.map(ownTotals)) {
    sum.spentMillicents += spentMillicents;
    sum.heldMillicents += heldMillicents;
    sum.impressions += impressions;
  }
  return sum;
}

/**
 * A campaign in an advertiser's own wallet and in its slices as one. What slices have not reported yet was spent a moment ago,
 * so it counts for the day.
 */
export function sumCampaigns<Totals extends StoredTotals & { daySpentMillicents: Millicents }>(
  own: Totals,
  others: readonly StoredTotals[],
): Omit<Totals, "sliced"> {
  const { sliced: _, ...settings } = own;
  const sum = sumTotals([own, ...others]);
  const daySpentMillicents = own.daySpentMillicents + sum.spentMillicents - own.spentMillicents;
  return { ...settings, ...sum, daySpentMillicents };
}
