import type { Database } from "@diegetic/database";
import type { WalletLimits, WalletReader } from "@diegetic/hot-state";
import { advertiserPages } from "../loops/pages.ts";
import { type AdvertiserBalances, atOneMoment, type CampaignBalances, readAdvertisers } from "./balances.ts";
import {
  atMost,
  type Check,
  compare,
  equal,
  type Inspection,
  idsOf,
  lateCheck,
  moneyCheck,
  type Pair,
  type PairsOf,
  pageInspection,
  type Reading,
} from "./comparison.ts";
import { compareWallet, readWallets, readWrittenIds } from "./wallets.ts";

export interface AdvertiserParts {
  database: Database;
  wallets: WalletReader;
  limits: WalletLimits;
  nowMs: () => number;
  /** Time limit for reading one page. */
  timeoutMs: number;
}

const ADVERTISERS_PER_PAGE = 50;

/** Records of unknown advertisers are among the checks of maintenance. */
export const QUARANTINED: Check<PairsOf<AdvertiserBalances>> = moneyCheck(
  "quarantined",
  "Unresolved quarantined records",
  (a) => equal(a.id, 0, a.unresolved),
);

type CampaignTotal = {
  [Field in keyof CampaignBalances]: CampaignBalances[Field] extends bigint ? Field : never;
}[keyof CampaignBalances];

/** An advertiser's balances in Postgres, compared with each other. */
const ADVERTISER_CHECKS: readonly Check<PairsOf<AdvertiserBalances>>[] = [
  moneyCheck("deposit_rows", "Deposits, millicents: rows = the advertiser's total", (a) =>
    equal(a.id, a.depositRowsMillicents, a.depositedMillicents),
  ),
  moneyCheck("spent_by_campaigns", "Spent, millicents: campaigns = their advertiser", (a) =>
    equal(a.id, sum(a, "spentMillicents"), a.spentMillicents),
  ),
  moneyCheck("impressions_by_campaigns", "Impressions: campaigns = their advertiser", (a) =>
    equal(a.id, sum(a, "impressions"), a.impressions),
  ),
  moneyCheck("balance", "Spent is at most deposited, millicents", (a) =>
    atMost(a.id, a.depositedMillicents, a.spentMillicents),
  ),
  moneyCheck(
    "budget",
    "Spent is at most the budget, millicents",
    ofCampaigns((c) => atMost(c.id, c.budgetMillicents, c.spentMillicents)),
  ),
  moneyCheck(
    "day_cap",
    "Day's rollups are at most the cap, where it applied all day, millicents",
    ofCampaigns(dayCaps),
  ),
  moneyCheck(
    "rollup_spent",
    "Spent, millicents: rollups = campaign",
    perCampaign("spentMillicents", "rollupSpent"),
  ),
  moneyCheck(
    "rollup_impressions",
    "Impressions: rollups = campaign",
    perCampaign("impressions", "rollupImpressions"),
  ),
  moneyCheck(
    "creative_impressions",
    "Impressions: creatives = campaign",
    perCampaign("impressions", "creativeImpressions"),
  ),
  moneyCheck(
    "creative_spent",
    "Spent, millicents: creatives = campaign",
    perCampaign("spentMillicents", "creativeSpent"),
  ),
  moneyCheck(
    "country_impressions",
    "Impressions: countries = campaign",
    perCampaign("impressions", "countryImpressions"),
  ),
  moneyCheck(
    "country_spent",
    "Spent, millicents: countries = campaign",
    perCampaign("spentMillicents", "countrySpent"),
  ),
  moneyCheck(
    "campaign_game_impressions",
    "Impressions: games by campaign = campaign",
    perCampaign("impressions", "gameImpressions"),
  ),
  moneyCheck(
    "affinity_scores",
    "Affinity scores, millionths: creatives = rollups, per campaign",
    perCampaign("rollupScores", "creativeScores"),
  ),
  moneyCheck(
    "version_impressions",
    "Impressions: by campaign version = campaign",
    perCampaign("impressions", "versionImpressions"),
  ),
  lateCheck("published", "Versions: published = row", (a) =>
    [a, ...a.campaigns].map(({ id, version, publishedVersion }) => equal(id, version, publishedVersion)),
  ),
  lateCheck("settlements", "Settlements that a restored wallet does not have yet", (a) =>
    equal(a.id, 0, a.pendingSettlements),
  ),
  QUARANTINED,
];

function ofCampaigns(
  pairsOf: (campaign: CampaignBalances, advertiser: AdvertiserBalances) => Pair | readonly Pair[],
): PairsOf<AdvertiserBalances> {
  return (advertiser) => advertiser.campaigns.flatMap((campaign) => pairsOf(campaign, advertiser));
}

/** Of each campaign, a total and what it must equal. */
function perCampaign(total: CampaignTotal, other: CampaignTotal): PairsOf<AdvertiserBalances> {
  return ofCampaigns((campaign) => equal(campaign.id, campaign[total], campaign[other]));
}

function sum({ campaigns }: AdvertiserBalances, field: "spentMillicents" | "impressions"): bigint {
  return campaigns.reduce((total, campaign) => total + campaign[field], 0n);
}

/** On and before the day of a settings change, another cap may have applied. Late charges may exceed a full day. */
function dayCaps(campaign: CampaignBalances, advertiser: AdvertiserBalances): Pair[] {
  const cap = campaign.dailyCapMillicents;
  if (cap === null) return [];
  return Object.entries(campaign.spentByDay)
    .filter(([day]) => day > campaign.changedOn)
    .map(([day, text]) => {
      const subject = `${campaign.id} ${day}`;
      const spent = BigInt(text);
      const allowed = spent > cap ? cap + advertiser.late.of(subject).priceMillicents : cap;
      return atMost(subject, allowed, spent);
    });
}

/** Inspects every advertiser, page by page: its balances in Postgres and its wallet in Redis. */
export async function* advertiserInspections(parts: AdvertiserParts): AsyncGenerator<Inspection> {
  for await (const page of advertiserPages(parts.database, ADVERTISERS_PER_PAGE)) {
    yield pageInspection(idsOf(page), (ids) => compareAdvertisers(parts, ids));
  }
}

/**
 * Reads the wallet between two counts of written impressions: if both are equal, wallet, outbox and Postgres are of the
 * same moment.
 */
async function compareAdvertisers(parts: AdvertiserParts, ids: readonly string[]): Promise<Reading> {
  const { database, nowMs, timeoutMs } = parts;
  const before = await readPublished(database, ids);
  const wallets = await readWallets(parts.wallets, before.campaignIds, parts.limits);
  const records = [...wallets.values()].flatMap((wallet) => wallet?.outbox.records ?? []);
  const { advertisers, written } = await atOneMoment(database, timeoutMs, async (transaction) => ({
    advertisers: await readAdvertisers(transaction, ids, nowMs()),
    written: await readWrittenIds(transaction, records),
  }));
  const reading: Reading = { comparisons: [], notCompared: [] };
  for (const advertiser of advertisers) {
    const { id } = advertiser;
    reading.comparisons.push(...compare(ADVERTISER_CHECKS, advertiser, id));
    const stoodStill = before.impressions.get(id) === advertiser.impressions;
    const { comparisons, isComplete } = await compareWallet(parts.wallets, advertiser, {
      wallet: wallets.get(id) ?? null,
      written: stoodStill ? written : null,
      publishedVersions: before.publishedVersions,
    });
    reading.comparisons.push(...comparisons);
    if (!isComplete) reading.notCompared.push(id);
  }
  return reading;
}

/** The advertisers' impressions in Postgres, campaigns, and published versions, which Redis already has. */
async function readPublished(database: Database, ids: readonly string[]) {
  const advertisers = await database.advertiser.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, publishedVersion: true, impressions: true },
  });
  const campaigns = await database.campaign.findMany({
    where: { advertiserId: { in: [...ids] } },
    select: { id: true, advertiserId: true, publishedVersion: true },
    orderBy: { id: "asc" },
  });
  const campaignIds = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { id, advertiserId } of campaigns) campaignIds.get(advertiserId)?.push(id);
  return {
    campaignIds,
    impressions: new Map(advertisers.map(({ id, impressions }) => [id, impressions])),
    publishedVersions: new Map(
      [...advertisers, ...campaigns].map(({ id, publishedVersion }) => [id, publishedVersion]),
    ),
  };
}
