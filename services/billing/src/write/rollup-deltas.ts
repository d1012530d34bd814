import { type BilledImpression, decimalOfMillionths } from "./billed-impression.ts";
import type { CodedColumn } from "./coded-column.ts";
import type { Groups } from "./groups.ts";

interface Money {
  impressions: number;
  spentMillicents: number;
}

interface Earned {
  impressions: number;
  earningMicrocents: number;
}

/** A rollup row that analytics read. The number of new players is known only inside the transaction. */
interface Rollup extends Money {
  campaignId: string;
  /** Decimal. */
  affinityScoreSum: string;
}

/** Deltas of new impressions, summed up per row of each table, in key order. */
export interface RollupDeltas {
  advertisers: (Money & { id: string })[];
  campaigns: (Money & { id: string; advertiserId: string })[];
  creatives: (Rollup & { id: string })[];
  campaignVersions: { campaignId: string; campaignVersion: number; impressions: number }[];
  /** Affinities that contributed; some may have been deleted meanwhile. */
  affinities: { id: string; campaignId: string; impressions: number; contributionSum: string }[];
  campaignRollups: (Rollup & { day: string })[];
  countries: (Money & { campaignId: string; countryCode: string })[];
  campaignGames: (Money &
    Earned & { campaignId: string; gameId: string; accountId: string; advertiserId: string })[];
  gameAdvertisers: (Earned & { accountId: string; day: string; gameId: string; advertiserId: string })[];
  /** Other advertisers may share these rows. */
  gameTotals: (Earned & { accountId: string; gameId: string })[];
  /** Each also becomes an earning in the ledger. */
  gameRollups: (Earned & { accountId: string; gameId: string; day: string })[];
  /** Each becomes a charge and a fee in the ledger. */
  charges: (Money & Earned & { day: string; advertiserId: string; campaignId: string })[];
}

interface Sum extends Money, Earned {
  affinityScoreMillionths: number;
}

/**
 * Sums up impressions. Sums are exact as numbers: a batch has at most 9 000 rows (see coded-column.ts), and a valid
 * record brings at most 10^12 microcents.
 */
export function sumUp(impressions: readonly BilledImpression[], groups: Groups): RollupDeltas {
  const earned = Float64Array.from(impressions, ({ earningMicrocents }) => Number(earningMicrocents));
  const rows = <Row>(
    column: CodedColumn,
    row: (sum: Sum, first: BilledImpression, match: BilledImpression["record"]["match"]) => Row,
  ) =>
    sumsOf(impressions, earned, column).map((sum, code) => {
      const first = impressions[column.rows[code] ?? 0] as BilledImpression;
      return row(sum, first, first.record.match);
    });
  return {
    advertisers: rows(groups.advertiser, ({ impressions: count, spentMillicents }, _, match) => ({
      id: match.advertiser_id,
      impressions: count,
      spentMillicents,
    })),
    campaigns: rows(groups.owned, ({ impressions: count, spentMillicents }, _, match) => ({
      id: match.campaign_id,
      advertiserId: match.advertiser_id,
      impressions: count,
      spentMillicents,
    })),
    creatives: rows(groups.campaignCreative, (sum, { record }, match) => ({
      id: record.creative_id,
      campaignId: match.campaign_id,
      impressions: sum.impressions,
      spentMillicents: sum.spentMillicents,
      affinityScoreSum: decimalOfMillionths(sum.affinityScoreMillionths),
    })),
    campaignVersions: rows(groups.campaignVersion, ({ impressions: count }, _, match) => ({
      campaignId: match.campaign_id,
      campaignVersion: match.campaign_version,
      impressions: count,
    })),
    affinities: affinitiesOf(impressions),
    campaignRollups: rows(groups.campaignDay, (sum, { day }, match) => ({
      campaignId: match.campaign_id,
      day,
      impressions: sum.impressions,
      spentMillicents: sum.spentMillicents,
      affinityScoreSum: decimalOfMillionths(sum.affinityScoreMillionths),
    })),
    countries: rows(groups.campaignCountry, ({ impressions: count, spentMillicents }, _, match) => ({
      campaignId: match.campaign_id,
      countryCode: match.country_code ?? "",
      impressions: count,
      spentMillicents,
    })),
    campaignGames: rows(
      groups.campaignGame,
      ({ impressions: count, spentMillicents, earningMicrocents }, _, match) => ({
        spentMillicents,
        campaignId: match.campaign_id,
        gameId: match.game_id,
        accountId: match.developer_account_id,
        advertiserId: match.advertiser_id,
        impressions: count,
        earningMicrocents,
      }),
    ),
    gameAdvertisers: rows(
      groups.gameAdvertiserDay,
      ({ impressions: count, earningMicrocents }, { day }, match) => ({
        accountId: match.developer_account_id,
        day,
        gameId: match.game_id,
        advertiserId: match.advertiser_id,
        impressions: count,
        earningMicrocents,
      }),
    ),
    gameTotals: rows(groups.game, ({ impressions: count, earningMicrocents }, _, match) => ({
      accountId: match.developer_account_id,
      gameId: match.game_id,
      impressions: count,
      earningMicrocents,
    })),
    gameRollups: rows(groups.gameDay, ({ impressions: count, earningMicrocents }, { day }, match) => ({
      accountId: match.developer_account_id,
      gameId: match.game_id,
      day,
      impressions: count,
      earningMicrocents,
    })),
    charges: rows(groups.charge, (sum, { day }, match) => ({
      day,
      advertiserId: match.advertiser_id,
      campaignId: match.campaign_id,
      impressions: sum.impressions,
      spentMillicents: sum.spentMillicents,
      earningMicrocents: sum.earningMicrocents,
    })),
  };
}

function sumsOf(
  impressions: readonly BilledImpression[],
  earned: Float64Array,
  { codes, rows }: CodedColumn,
): Sum[] {
  const sums = Array.from(rows, () => ({
    impressions: 0,
    spentMillicents: 0,
    earningMicrocents: 0,
    affinityScoreMillionths: 0,
  }));
  for (const [row, impression] of impressions.entries()) {
    const sum = sums[codes[row] ?? 0] as Sum;
    sum.impressions += 1;
    sum.spentMillicents += impression.record.match.price_millicents;
    sum.earningMicrocents += earned[row] ?? 0;
    sum.affinityScoreMillionths += impression.affinityScoreMillionths;
  }
  return sums;
}

function affinitiesOf(impressions: readonly BilledImpression[]): RollupDeltas["affinities"] {
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
