import { newId } from "@diegetic/contracts";
import { type Database, utcDay } from "@diegetic/database";
import type { CommitResult, MoneyCommands, ReserveResult } from "@diegetic/hot-state";

export interface Spending {
  advertiserId: string;
  campaignId: string;
  creativeId: string;
  gameId?: string;
  campaignVersion: number;
  priceMillicents: number;
  developerAccountId?: string;
}

/** Holds the price of one impression, like a match. */
export function hold(
  money: MoneyCommands,
  spending: Spending,
  matchId = newId("mat"),
): Promise<ReserveResult> {
  const { advertiserId, campaignId, creativeId, gameId = "game" } = spending;
  return money.reserve({
    match: {
      match_id: matchId,
      advertiser_id: advertiserId,
      campaign_id: campaignId,
      campaign_version: spending.campaignVersion,
      game_id: gameId,
      developer_account_id: spending.developerAccountId ?? "acct_dev",
      user_hash: "user",
      session_key: matchId,
      country_code: null,
      affinity_score: 0,
      affinities: [],
      price_millicents: spending.priceMillicents,
      revenue_share_basis_points: 7_000,
      matched_at_ms: Date.now(),
    },
    campaignVersion: spending.campaignVersion,
    holdTtlMs: 600_000,
    sessionStartedMs: null,
    sessionIdleMs: 600_000,
    creatives: [{ creativeId, maxUses: 20 }],
  });
}

/** Charges the oldest open match, like an impression. */
export function charge(money: MoneyCommands, spending: Spending): Promise<CommitResult> {
  const { advertiserId, campaignId, creativeId, gameId = "game" } = spending;
  return money.commit({
    advertiserId,
    campaignId,
    gameId,
    creativeId,
    operationId: newId("op"),
    matchId: null,
    nowMs: Date.now(),
  });
}

/** Writes what billing writes for impressions: totals, rollups and unique players. */
export async function writeImpressions(
  database: Database,
  facts: {
    advertiserId: string;
    campaignId: string;
    creativeId: string;
    gameId: string;
    accountId: string;
    impressions: number;
    priceMillicents: number;
    earningMicrocents?: bigint;
    affinityScore?: number;
    users?: string[];
    day?: string;
  },
): Promise<void> {
  const impressions = BigInt(facts.impressions);
  const spentMillicents = BigInt(facts.impressions * facts.priceMillicents);
  const day = new Date(`${facts.day ?? utcDay(Date.now())}T00:00:00Z`);
  const totals = { impressions: { increment: impressions }, spentMillicents: { increment: spentMillicents } };
  await database.advertiser.update({ where: { id: facts.advertiserId }, data: totals });
  await database.campaign.update({ where: { id: facts.campaignId }, data: totals });
  await database.creative.update({
    where: { id: facts.creativeId },
    data: {
      ...totals,
      affinityScoreSum: { increment: facts.impressions * (facts.affinityScore ?? 0) },
    },
  });
  await database.campaignRollup.create({
    data: {
      campaignId: facts.campaignId,
      day,
      impressions,
      spentMillicents,
      affinityScoreSum: facts.impressions * (facts.affinityScore ?? 0),
      users: 0n,
    },
  });
  const place = { campaignId: facts.campaignId, countryCode: "" };
  await database.campaignCountry.upsert({
    where: { campaignId_countryCode: place },
    create: { ...place, impressions, spentMillicents, users: 0n },
    update: { impressions: { increment: impressions }, spentMillicents: { increment: spentMillicents } },
  });
  const earned = { impressions, earningMicrocents: facts.earningMicrocents ?? spentMillicents * 700n };
  const game = { accountId: facts.accountId, gameId: facts.gameId };
  const more = {
    impressions: { increment: earned.impressions },
    earningMicrocents: { increment: earned.earningMicrocents },
  };
  await database.gameRollup.upsert({
    where: { accountId_gameId_day: { ...game, day } },
    create: { ...game, day, ...earned },
    update: more,
  });
  const { advertiserId, campaignId } = facts;
  const paid = { ...game, day, advertiserId };
  await database.gameAdvertiserRollup.upsert({
    where: { accountId_day_gameId_advertiserId: paid },
    create: { ...paid, ...earned },
    update: more,
  });
  await database.campaignGame.upsert({
    where: { campaignId_gameId_accountId: { ...game, campaignId } },
    create: { ...game, campaignId, advertiserId, ...earned },
    update: more,
  });
  await database.gameTotal.upsert({
    where: { accountId_gameId: game },
    create: { ...game, ...earned },
    update: more,
  });
  await database.campaign.update({
    where: { id: facts.campaignId },
    data: { uniqueUsers: { increment: BigInt(facts.users?.length ?? 1) } },
  });
}
