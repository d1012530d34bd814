import { type AffinityContribution, type ImpressionRecord, newId } from "@diegetic/contracts";
import { type Database, safeInteger } from "@diegetic/database";

export interface TestCampaign {
  advertiserId: string;
  campaignId: string;
  creativeIds: [string, string];
  affinityIds: [string, string];
}

/** Two advertisers with two campaigns of two creatives and two affinities each, and two games of two developers: rows of Postgres. */
export interface Market {
  campaigns: TestCampaign[];
  games: { gameId: string; accountId: string }[];
}

const BUDGET_CENTS = 1_000_000_000;

export async function createMarket(database: Database): Promise<Market> {
  const market: Market = { campaigns: [], games: [] };
  for (let i = 0; i < 2; i++) {
    const accountId = newId("acct");
    const advertiserId = newId("adv");
    const email = `${advertiserId}@example.com`;
    await database.account.create({ data: { id: accountId, label: "advertiser" } });
    await database.advertiser.create({
      data: {
        id: advertiserId,
        accountId,
        companyName: "Acme",
        contactEmail: email,
        contactEmailLower: email,
        depositedMillicents: BigInt(BUDGET_CENTS) * 2_000n,
      },
    });
    for (let j = 0; j < 2; j++) market.campaigns.push(await createCampaign(database, advertiserId));
    market.games.push({ gameId: `game {${newId("mat")}}`, accountId: newId("acct") });
  }
  return market;
}

async function createCampaign(database: Database, advertiserId: string): Promise<TestCampaign> {
  const campaignId = newId("camp");
  const creativeIds: [string, string] = [newId("crt"), newId("crt")];
  await database.campaign.create({
    data: { id: campaignId, advertiserId, name: "c", budgetCents: BUDGET_CENTS, cpmBidCents: 100 },
  });
  await database.creative.createMany({
    data: creativeIds.map((id) => ({ id, campaignId, creativeType: "product_mention", brandName: "b" })),
  });
  const affinityIds: [string, string] = [newId("aff"), newId("aff")];
  await database.affinity.createMany({
    data: affinityIds.map((id) => ({ id, campaignId, affinityType: "mood", affinityValue: "tense" })),
  });
  return { advertiserId, campaignId, creativeIds, affinityIds };
}

/** The n-th of a list, wrapping around. */
export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("the list is empty");
  return item;
}

export interface RecordChoice {
  campaign: number;
  creative: number;
  game: number;
  user: number;
  countryCode: string | null;
  priceMillicents: number;
  basisPoints: number;
  recordedAtMs: number;
  score: number;
  campaignVersion: number;
  /** What the campaign's affinities contribute, by their number; default: an affinity that is unknown contributes. */
  contributions: { affinity: number; contribution: number }[];
}

function contributionsIn(
  { affinityIds }: TestCampaign,
  contributions: RecordChoice["contributions"] | undefined,
): AffinityContribution[] {
  if (contributions === undefined) return [{ affinity_id: "aff_1", contribution: 1.25 }];
  return contributions.map(({ affinity, contribution }) => ({
    affinity_id: pick(affinityIds, affinity),
    contribution,
  }));
}

/** A committed impression in the market, as the outbox has it. */
export function recordIn(market: Market, choice: Partial<RecordChoice> = {}): ImpressionRecord {
  const campaign = pick(market.campaigns, choice.campaign ?? 0);
  const game = pick(market.games, choice.game ?? 0);
  const recordedAtMs = choice.recordedAtMs ?? Date.now();
  return {
    impression_id: newId("imp"),
    creative_id: pick(campaign.creativeIds, choice.creative ?? 0),
    recorded_at_ms: recordedAtMs,
    match: {
      match_id: newId("mat"),
      advertiser_id: campaign.advertiserId,
      campaign_id: campaign.campaignId,
      campaign_version: choice.campaignVersion ?? 1,
      game_id: game.gameId,
      developer_account_id: game.accountId,
      user_hash: `user-${choice.user ?? 0}`,
      session_key: "session",
      country_code: choice.countryCode === undefined ? "DE" : choice.countryCode,
      affinity_score: choice.score ?? 1.25,
      affinities: contributionsIn(campaign, choice.contributions),
      price_millicents: choice.priceMillicents ?? 250,
      revenue_share_basis_points: choice.basisPoints ?? 7_000,
      matched_at_ms: recordedAtMs - 1_000,
    },
  };
}

/** The sums that have to agree wherever a campaign's impressions are counted. */
export async function readSums(database: Database, campaignId: string) {
  const campaign = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
  const rows = await database.impression.aggregate({
    where: { campaignId },
    _count: { impressionId: true },
    _sum: { priceMillicents: true, earningMicrocents: true },
  });
  const rollups = await database.campaignRollup.aggregate({
    where: { campaignId },
    _sum: { impressions: true, spentMillicents: true },
  });
  const creatives = await database.creative.aggregate({ where: { campaignId }, _sum: { impressions: true } });
  const ledger = await database.ledgerEntry.groupBy({
    by: ["kind"],
    where: { campaignId },
    _sum: { amountMicrocents: true, impressions: true },
  });
  const games = await database.campaignGame.aggregate({
    where: { campaignId },
    _sum: { impressions: true, earningMicrocents: true },
  });
  const earned = games._sum.earningMicrocents ?? 0n;
  const amount = (kind: string) => ledger.find((sum) => sum.kind === kind)?._sum.amountMicrocents ?? 0n;
  const count = (value: bigint | null) => safeInteger(value ?? 0n, "sum");
  return {
    impressions: {
      campaign: count(campaign.impressions),
      rows: rows._count.impressionId,
      rollups: count(rollups._sum.impressions),
      creatives: count(creatives._sum.impressions),
      games: count(games._sum.impressions),
      ledger: ledger.find((sum) => sum.kind === "charge")?._sum.impressions ?? 0,
    },
    spentMillicents: {
      campaign: count(campaign.spentMillicents),
      rows: count(rows._sum.priceMillicents),
      rollups: count(rollups._sum.spentMillicents),
      ledger: safeInteger(-amount("charge") / 1_000n, "charge"),
    },
    earningMicrocents: { rows: rows._sum.earningMicrocents ?? 0n, games: earned },
    ledgerBalance: amount("charge") + earned + amount("fee"),
  };
}
