import { type BilledImpression, decimalOfMillionths } from "./billed-impression.ts";
import type { CodedColumn } from "./coded-column.ts";
import type { Groups } from "./groups.ts";

/** What to add to a row of a table. */
export interface Delta {
  /** One of the row's impressions; all of them agree in the row's keys. */
  first: BilledImpression;
  impressions: number;
  spentMillicents: number;
  earningMicrocents: number;
  affinityScoreMillionths: number;
}

/** Deltas of new impressions, per row of each table, in key order. */
export type RollupDeltas = ReturnType<typeof sumUp>;

/**
 * Sums up impressions. Sums are exact as numbers: a batch has at most 9 000 rows (see coded-column.ts), and a valid
 * record brings at most 10^12 microcents.
 */
export function sumUp(impressions: readonly BilledImpression[], groups: Groups) {
  const earned = Float64Array.from(impressions, ({ earningMicrocents }) => Number(earningMicrocents));
  const deltasBy = ({ codes, rows }: CodedColumn): Delta[] => {
    const deltas = Array.from(rows, (row) => ({
      first: impressions[row] as BilledImpression,
      impressions: 0,
      spentMillicents: 0,
      earningMicrocents: 0,
      affinityScoreMillionths: 0,
    }));
    for (const [row, impression] of impressions.entries()) {
      const delta = deltas[codes[row] ?? 0] as Delta;
      delta.impressions += 1;
      delta.spentMillicents += impression.record.match.price_millicents;
      delta.earningMicrocents += earned[row] ?? 0;
      delta.affinityScoreMillionths += impression.affinityScoreMillionths;
    }
    return deltas;
  };
  return {
    advertisers: deltasBy(groups.advertiser),
    campaigns: deltasBy(groups.owned),
    creatives: deltasBy(groups.campaignCreative),
    campaignVersions: deltasBy(groups.campaignVersion),
    /** Affinities that contributed; some may have been deleted meanwhile. */
    affinities: affinitiesOf(impressions),
    campaignRollups: deltasBy(groups.campaignDay),
    countries: deltasBy(groups.campaignCountry),
    campaignGames: deltasBy(groups.campaignGame),
    gameAdvertisers: deltasBy(groups.gameAdvertiserDay),
    /** Other advertisers may share these rows. */
    gameTotals: deltasBy(groups.game),
    /** Each also becomes an earning in the ledger. */
    gameRollups: deltasBy(groups.gameDay),
    /** Each becomes a charge and a fee in the ledger. */
    charges: deltasBy(groups.charge),
  };
}

function affinitiesOf(impressions: readonly BilledImpression[]) {
  const sums = new Map<string, Map<string, { impressions: number; millionths: number }>>();
  for (const { record, contributionMillionths } of impressions) {
    if (contributionMillionths.size === 0) continue;
    const { campaign_id: campaignId } = record.match;
    let ofCampaign = sums.get(campaignId);
    if (ofCampaign === undefined) {
      ofCampaign = new Map();
      sums.set(campaignId, ofCampaign);
    }
    for (const [id, millionths] of contributionMillionths) {
      const sum = ofCampaign.get(id);
      if (sum === undefined) ofCampaign.set(id, { impressions: 1, millionths });
      else {
        sum.impressions += 1;
        sum.millionths += millionths;
      }
    }
  }
  return [...sums].sort(byName).flatMap(([campaignId, ofCampaign]) =>
    [...ofCampaign].sort(byName).map(([id, { impressions: count, millionths }]) => ({
      id,
      campaignId,
      impressions: count,
      contributionSum: decimalOfMillionths(millionths),
    })),
  );
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
