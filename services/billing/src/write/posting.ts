import type { Microcents } from "@diegetic/money";
import { type BilledImpression, decimalOfMillionths } from "./billed-impression.ts";
import { nameOf } from "./name-of.ts";
import type { NewUsers } from "./reached-users.ts";

interface Money {
  impressions: number;
  spentMillicents: number;
}

interface Earned {
  impressions: number;
  earningMicrocents: Microcents;
}

/** A row of what analytics read. */
interface Rollup extends Money {
  campaignId: string;
  /** Decimal. */
  affinityScoreSum: string;
  /** Players who were not known to the member before. */
  users: number;
}

/** What a set of new impressions moves, summed up per row of each table, in the order of the rows' keys. */
export interface Posting {
  campaigns: (Money & { id: string; advertiserId: string; users: number })[];
  creatives: { id: string; campaignId: string; impressions: number }[];
  campaignVersions: { campaignId: string; campaignVersion: number; impressions: number }[];
  /** Affinities that contributed; some of them may have been deleted meanwhile. */
  affinities: { id: string; campaignId: string; impressions: number; contributionSum: string }[];
  campaignRollups: (Rollup & { day: string })[];
  breakdowns: (Rollup & { dimension: "country" | "creative" | "game"; key: string })[];
  /** Of these rows other advertisers may own a share. */
  gameTotals: (Earned & { accountId: string; gameId: string })[];
  gameRollups: (Earned & { accountId: string; gameId: string; day: string })[];
  gameAdvertisers: (Earned & { accountId: string; gameId: string; advertiserId: string })[];
  /** Each becomes a charge and a fee of the ledger. */
  charges: (Money & Earned & { day: string; advertiserId: string; campaignId: string })[];
  earnings: (Earned & {
    day: string;
    advertiserId: string;
    campaignId: string;
    gameId: string;
    accountId: string;
  })[];
}

/** What the advertisers' totals move by, in the order of their ids. */
export function totalsOfAdvertisers(impressions: readonly BilledImpression[]): (Money & { id: string })[] {
  return group(impressions, ({ record: { match } }) => [match.advertiser_id]).map(
    ([[id], { impressions: count, spentMillicents }]) => ({ id, impressions: count, spentMillicents }),
  );
}

/** Sums up new impressions: at most some thousands, so that the sums stay exact. */
export function sumUp(impressions: readonly BilledImpression[], newUsers: NewUsers): Posting {
  const byCampaign = group(impressions, ({ record: { match } }) => [match.campaign_id, match.advertiser_id]);
  const rollup = (campaignId: string, sum: Sum) => ({
    campaignId,
    impressions: sum.impressions,
    spentMillicents: sum.spentMillicents,
    affinityScoreSum: decimalOfMillionths(sum.affinityScoreMillionths),
  });
  return {
    campaigns: byCampaign.map(([[id, advertiserId], { impressions: count, spentMillicents }]) => ({
      id,
      advertiserId,
      impressions: count,
      spentMillicents,
      users: newUsers.count("campaign", id, ""),
    })),
    creatives: group(impressions, ({ record }) => [record.creative_id, record.match.campaign_id]).map(
      ([[id, campaignId], sum]) => ({ id, campaignId, impressions: sum.impressions }),
    ),
    campaignVersions: group(impressions, ({ record: { match } }) => [
      match.campaign_id,
      String(match.campaign_version),
    ]).map(([[campaignId, version], sum]) => ({
      campaignId,
      campaignVersion: Number(version),
      impressions: sum.impressions,
    })),
    affinities: affinitiesOf(impressions),
    campaignRollups: group(impressions, ({ record: { match }, day }) => [match.campaign_id, day]).map(
      ([[campaignId, day], sum]) => ({
        ...rollup(campaignId, sum),
        day,
        users: newUsers.count("day", campaignId, day),
      }),
    ),
    breakdowns: (["creative", "country", "game"] as const).flatMap((dimension) =>
      group(impressions, ({ record }) => [record.match.campaign_id, memberOf[dimension](record)]).map(
        ([[campaignId, key], sum]) => ({
          ...rollup(campaignId, sum),
          dimension,
          key,
          users: dimension === "game" ? 0 : newUsers.count(dimension, campaignId, key),
        }),
      ),
    ),
    ...gamesOf(impressions),
    ...ledgerOf(impressions),
  };
}

function gamesOf(
  impressions: readonly BilledImpression[],
): Pick<Posting, "gameTotals" | "gameRollups" | "gameAdvertisers"> {
  return {
    gameTotals: group(impressions, ({ record: { match } }) => [
      match.developer_account_id,
      match.game_id,
    ]).map(([[accountId, gameId], sum]) => ({ accountId, gameId, ...earned(sum) })),
    gameRollups: group(impressions, ({ record: { match }, day }) => [
      match.developer_account_id,
      match.game_id,
      day,
    ]).map(([[accountId, gameId, day], sum]) => ({ accountId, gameId, day, ...earned(sum) })),
    gameAdvertisers: group(impressions, ({ record: { match } }) => [
      match.developer_account_id,
      match.game_id,
      match.advertiser_id,
    ]).map(([[accountId, gameId, advertiserId], sum]) => ({
      accountId,
      gameId,
      advertiserId,
      ...earned(sum),
    })),
  };
}

function ledgerOf(impressions: readonly BilledImpression[]): Pick<Posting, "charges" | "earnings"> {
  return {
    charges: group(impressions, ({ record: { match }, day }) => [
      match.advertiser_id,
      match.campaign_id,
      day,
    ]).map(([[advertiserId, campaignId, day], sum]) => ({
      day,
      advertiserId,
      campaignId,
      spentMillicents: sum.spentMillicents,
      ...earned(sum),
    })),
    earnings: group(impressions, ({ record: { match }, day }) => [
      match.advertiser_id,
      match.campaign_id,
      day,
      match.game_id,
      match.developer_account_id,
    ]).map(([[advertiserId, campaignId, day, gameId, accountId], sum]) => ({
      day,
      advertiserId,
      campaignId,
      gameId,
      accountId,
      ...earned(sum),
    })),
  };
}

function earned({ impressions, earningMicrocents }: Sum): Earned {
  return { impressions, earningMicrocents };
}

type ImpressionRecord = BilledImpression["record"];

const memberOf = {
  creative: (record: ImpressionRecord) => record.creative_id,
  country: (record: ImpressionRecord) => record.match.country_code ?? "",
  game: (record: ImpressionRecord) => record.match.game_id,
};

function affinitiesOf(impressions: readonly BilledImpression[]): Posting["affinities"] {
  const sums = new Map<string, { id: string; campaignId: string; impressions: number; millionths: number }>();
  for (const { record, contributionMillionths } of impressions) {
    const campaignId = record.match.campaign_id;
    for (const [id, millionths] of contributionMillionths) {
      const name = nameOf([campaignId, id]);
      const sum = sums.get(name);
      if (sum === undefined) sums.set(name, { id, campaignId, impressions: 1, millionths });
      else {
        sum.impressions += 1;
        sum.millionths += millionths;
      }
    }
  }
  return inOrder(sums).map(({ millionths, ...sum }) => ({
    ...sum,
    contributionSum: decimalOfMillionths(millionths),
  }));
}

interface Sum extends Money, Earned {
  affinityScoreMillionths: number;
}

/** Sums by key, in the order of the keys. */
function group<const Key extends readonly string[]>(
  impressions: readonly BilledImpression[],
  keyOf: (impression: BilledImpression) => Key,
): [Key, Sum][] {
  const groups = new Map<string, [Key, Sum]>();
  for (const impression of impressions) {
    const key = keyOf(impression);
    const name = nameOf(key);
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
  return inOrder(groups);
}

function inOrder<Value>(named: ReadonlyMap<string, Value>): Value[] {
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
