import type { ImpressionRecord } from "@diegetic/contracts";
import { type Database, dateOfDay, utcDay } from "@diegetic/database";
import {
  type CampaignSummary,
  UnexpectedReply,
  type WalletLimits,
  type WalletReader,
  type WalletSummary,
} from "@diegetic/hot-state";
import { forEachLimited } from "../loops/for-each.ts";
import { type AdvertiserBalances, type CampaignBalances, ImpressionSums } from "./balances.ts";
import { type Comparison, compare } from "./comparison.ts";
import { type CampaignHolder, limitsOf, WALLET_CHECKS, type Wallet } from "./wallet-checks.ts";

const MAX_CONCURRENT_WALLETS = 8;

/** An unreadable wallet counts as absent. */
const ABSENT: WalletSummary = {
  readAtMs: 0,
  account: null,
  holds: { count: 0, sumMillicents: 0, lapsedLongAgo: 0 },
  outbox: { count: 0, records: [] },
  sessionReleases: { count: 0, some: [] },
  campaigns: [],
};

/** Reads the wallets of the given advertisers and campaigns. Null: the wallet changed between two reads. */
export async function readWallets(
  reader: WalletReader,
  campaignIds: ReadonlyMap<string, readonly string[]>,
  limits: WalletLimits,
): Promise<Map<string, WalletSummary | null>> {
  const wallets = new Map<string, WalletSummary | null>();
  await forEachLimited([...campaignIds], MAX_CONCURRENT_WALLETS, async ([advertiserId, ids]) => {
    const wallet = await reader.read(advertiserId, ids, limits).catch((error: unknown) => {
      if (error instanceof UnexpectedReply) return ABSENT;
      throw error;
    });
    wallets.set(advertiserId, wallet);
  });
  return wallets;
}

/** Returns which of these committed records are in Postgres. */
export async function readWrittenIds(
  database: Pick<Database, "$queryRaw">,
  records: readonly ImpressionRecord[],
): Promise<Set<string>> {
  if (records.length === 0) return new Set();
  const ids = records.map((record) => record.impression_id);
  const days = [...new Set(records.map((record) => utcDay(record.recorded_at_ms)))].map(dateOfDay);
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT impression_id AS id FROM impressions
    WHERE day = ANY(${days}::date[]) AND impression_id = ANY(${ids})
    UNION ALL SELECT impression_id FROM quarantined_impressions WHERE impression_id = ANY(${ids})`;
  return new Set(rows.map((row) => row.id));
}

interface WalletReads {
  /** Null: it kept changing. */
  wallet: WalletSummary | null;
  /** Records that Postgres has; null: billing was writing. */
  written: ReadonlySet<string> | null;
  /** Published versions of the advertiser and its campaigns, read before the wallet. */
  publishedVersions: ReadonlyMap<string, number>;
}

/** Compares an advertiser's wallet. `isComplete`: everything could be compared. */
export async function compareWallet(
  reader: WalletReader,
  advertiser: AdvertiserBalances,
  { wallet: summary, written, publishedVersions }: WalletReads,
): Promise<{ comparisons: Comparison[]; isComplete: boolean }> {
  if (summary === null) return { comparisons: [], isComplete: false };
  const { id } = advertiser;
  const { account } = summary;
  const { records } = summary.outbox;
  const waiting = written === null || records === null ? null : waitingOf(records, written);
  const common = { waiting, advertiser };
  const summaries = new Map(summary.campaigns.map((campaign) => [campaign.campaignId, campaign]));
  const campaigns: CampaignHolder[] = [];
  for (const inPostgres of account?.live ? advertiser.campaigns : []) {
    const inWallet = summaries.get(inPostgres.id);
    if (inWallet === undefined) continue;
    const published = publishedVersions.get(inPostgres.id) ?? 0;
    const newestVersion = await newestVersionOf(reader, inPostgres, inWallet, records ?? []);
    campaigns.push({ id: inPostgres.id, inPostgres, inWallet, published, newestVersion, ...common });
  }
  const wallet: Wallet = {
    advertiser,
    summary,
    campaigns,
    account: account?.live
      ? {
          id,
          inPostgres: advertiser,
          inWallet: account,
          depositedMillicents: account.depositedMillicents,
          published: publishedVersions.get(id) ?? 0,
          ...common,
        }
      : null,
  };
  return {
    comparisons: compare(WALLET_CHECKS, wallet, id),
    isComplete: account === null || (waiting !== null && summary.holds.sumMillicents !== null),
  };
}

/** Adds up the outbox records that Postgres does not have. */
function waitingOf(records: readonly ImpressionRecord[], written: ReadonlySet<string>): ImpressionSums {
  const sums = new ImpressionSums();
  for (const { impression_id, recorded_at_ms, match } of records) {
    if (written.has(impression_id)) continue;
    sums.add(match.campaign_id, utcDay(recorded_at_ms), BigInt(match.price_millicents));
  }
  return sums;
}

/** The newest version under which anything was taken. Only a campaign above a limit needs the versions of its holds. */
async function newestVersionOf(
  reader: WalletReader,
  { id, advertiserId, newestVersion }: CampaignBalances,
  inWallet: CampaignSummary,
  records: readonly ImpressionRecord[],
): Promise<number> {
  const { budget, dailyCap } = limitsOf(inWallet);
  const isOverLimit = budget.used > budget.limit || (dailyCap !== null && dailyCap.used > dailyCap.limit);
  if (!isOverLimit) return newestVersion;
  const waiting = records
    .filter(({ match }) => match.campaign_id === id)
    .map(({ match }) => match.campaign_version);
  return Math.max(newestVersion, await reader.newestHeldVersion(advertiserId, id), ...waiting);
}
