import type { BilledImpression } from "./billed-impression.ts";
import { decimalOfMillionths } from "./billed-impression.ts";

/**
 * What a set of new impressions moves, summed up per row of each table. The fields are named like the columns, and
 * microcents are text: the lists go to Postgres as JSON.
 */
export interface Posting {
  advertisers: { id: string; impressions: number; spent_millicents: number }[];
  campaigns: { id: string; advertiser_id: string; impressions: number; spent_millicents: number }[];
  creatives: { id: string; campaign_id: string; impressions: number }[];
  campaignVersions: { campaign_id: string; campaign_version: number; impressions: number }[];
  /** Affinities that contributed; some of them may have been deleted meanwhile. */
  affinities: { id: string; campaign_id: string; impressions: number; contribution_sum: string }[];
  campaignRollups: {
    campaign_id: string;
    day: string;
    creative_id: string;
    /** Empty: unknown place. */
    country_code: string;
    game_id: string;
    impressions: number;
    spent_millicents: number;
    affinity_score_sum: string;
  }[];
  gameRollups: {
    game_id: string;
    day: string;
    advertiser_id: string;
    account_id: string;
    impressions: number;
    earning_microcents: string;
  }[];
  /** Who was reached; most of them may be known already. */
  uniqueUsers: { campaign_id: string; dimension: string; dimension_key: string; user_hash: string }[];
  /** Each becomes three rows of the ledger: charge, earning and fee. */
  ledger: {
    day: string;
    advertiser_id: string;
    campaign_id: string;
    game_id: string;
    developer_account_id: string;
    impressions: number;
    charge_microcents: string;
    earning_microcents: string;
  }[];
}

interface Sum {
  impressions: number;
  spentMillicents: number;
  earningMicrocents: bigint;
  affinityScoreMillionths: number;
}

/** Sums up new impressions (at most some hundreds, so that the sums stay exact). */
export function sumUp(impressions: readonly BilledImpression[]): Posting {
  return {
    advertisers: group(impressions, ({ record: { match } }) => ({ id: match.advertiser_id })).map(
      ([key, sum]) => ({ ...key, impressions: sum.impressions, spent_millicents: sum.spentMillicents }),
    ),
    campaigns: group(impressions, ({ record: { match } }) => ({
      id: match.campaign_id,
      advertiser_id: match.advertiser_id,
    })).map(([key, sum]) => ({
      ...key,
      impressions: sum.impressions,
      spent_millicents: sum.spentMillicents,
    })),
    creatives: group(impressions, ({ record }) => ({
      id: record.creative_id,
      campaign_id: record.match.campaign_id,
    })).map(([key, sum]) => ({ ...key, impressions: sum.impressions })),
    campaignVersions: group(impressions, ({ record: { match } }) => ({
      campaign_id: match.campaign_id,
      campaign_version: match.campaign_version,
    })).map(([key, sum]) => ({ ...key, impressions: sum.impressions })),
    affinities: affinitiesOf(impressions),
    campaignRollups: group(impressions, ({ record, day }) => ({
      campaign_id: record.match.campaign_id,
      day,
      creative_id: record.creative_id,
      country_code: record.match.country_code ?? "",
      game_id: record.match.game_id,
    })).map(([key, sum]) => ({
      ...key,
      impressions: sum.impressions,
      spent_millicents: sum.spentMillicents,
      affinity_score_sum: decimalOfMillionths(sum.affinityScoreMillionths),
    })),
    gameRollups: group(impressions, ({ record: { match }, day }) => ({
      game_id: match.game_id,
      day,
      advertiser_id: match.advertiser_id,
      account_id: match.developer_account_id,
    })).map(([key, sum]) => ({
      ...key,
      impressions: sum.impressions,
      earning_microcents: String(sum.earningMicrocents),
    })),
    uniqueUsers: uniqueUsersOf(impressions),
    ledger: group(impressions, ({ record: { match }, day }) => ({
      day,
      advertiser_id: match.advertiser_id,
      campaign_id: match.campaign_id,
      game_id: match.game_id,
      developer_account_id: match.developer_account_id,
    })).map(([key, sum]) => ({
      ...key,
      impressions: sum.impressions,
      charge_microcents: String(BigInt(sum.spentMillicents) * 1_000n),
      earning_microcents: String(sum.earningMicrocents),
    })),
  };
}

function affinitiesOf(impressions: readonly BilledImpression[]): Posting["affinities"] {
  const sums = new Map<
    string,
    { id: string; campaign_id: string; impressions: number; millionths: number }
  >();
  for (const { record, contributionMillionths } of impressions) {
    const { campaign_id } = record.match;
    for (const [id, millionths] of contributionMillionths) {
      const name = JSON.stringify([campaign_id, id]);
      const sum = sums.get(name) ?? { id, campaign_id, impressions: 0, millionths: 0 };
      sums.set(name, {
        ...sum,
        impressions: sum.impressions + 1,
        millionths: sum.millionths + millionths,
      });
    }
  }
  return [...sums.values()].map(({ millionths, ...sum }) => ({
    ...sum,
    contribution_sum: decimalOfMillionths(millionths),
  }));
}

function uniqueUsersOf(impressions: readonly BilledImpression[]): Posting["uniqueUsers"] {
  const reached = impressions.flatMap(({ record: { match, creative_id }, day }) =>
    [
      { dimension: "total", dimension_key: "" },
      { dimension: "day", dimension_key: day },
      { dimension: "creative", dimension_key: creative_id },
      { dimension: "country", dimension_key: match.country_code ?? "" },
    ].map((member) => ({ campaign_id: match.campaign_id, ...member, user_hash: match.user_hash })),
  );
  return [...new Map(reached.map((user) => [JSON.stringify(user), user])).values()];
}

function group<Key extends object>(
  impressions: readonly BilledImpression[],
  keyOf: (impression: BilledImpression) => Key,
): [Key, Sum][] {
  const groups = new Map<string, [Key, Sum]>();
  for (const impression of impressions) {
    const key = keyOf(impression);
    const name = JSON.stringify(key);
    let entry = groups.get(name);
    if (entry === undefined) {
      entry = [
        key,
        { impressions: 0, spentMillicents: 0, earningMicrocents: 0n, affinityScoreMillionths: 0 },
      ];
      groups.set(name, entry);
    }
    const sum = entry[1];
    sum.impressions += 1;
    sum.spentMillicents += impression.record.match.price_millicents;
    sum.earningMicrocents += impression.earningMicrocents;
    sum.affinityScoreMillionths += impression.affinityScoreMillionths;
  }
  return [...groups.values()];
}
