import type { ImpressionRecord } from "@diegetic/contracts";
import { type Database, dateOfDay, utcDay } from "@diegetic/database";
import {
  UnexpectedReply,
  type WalletLimits,
  type WalletReader,
  type WalletSummary,
} from "@diegetic/hot-state";
import { forEachLimited } from "../loops/for-each.ts";
import type { AdvertiserBalances, WaitingBalances, WalletBalances } from "./balances.ts";
import { isOverLimit } from "./check-wallet.ts";

const WALLETS_AT_A_TIME = 8;
/** Billing queues a record again after seconds, so an older one is stuck. */
const OVERDUE_MS = 120_000;

/** `unreadable`: a balance is not a number. `moving`: the wallet changed between two reads. */
export type ReadWallet = WalletSummary | "unreadable" | "moving";

/** Reads the wallets of the given advertisers and campaigns. */
export async function readWallets(
  reader: WalletReader,
  campaignIds: ReadonlyMap<string, readonly string[]>,
  limits: WalletLimits,
): Promise<Map<string, ReadWallet>> {
  const wallets = new Map<string, ReadWallet>();
  await forEachLimited([...campaignIds], WALLETS_AT_A_TIME, async ([advertiserId, ids]) => {
    wallets.set(advertiserId, await readWallet(reader, advertiserId, ids, limits));
  });
  return wallets;
}

async function readWallet(
  reader: WalletReader,
  advertiserId: string,
  campaignIds: readonly string[],
  limits: WalletLimits,
): Promise<ReadWallet> {
  try {
    return (await reader.read(advertiserId, campaignIds, limits)) ?? "moving";
  } catch (error) {
    if (error instanceof UnexpectedReply) return "unreadable";
    throw error;
  }
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

/** Adds up the outbox records that Postgres does not have. */
export function walletBalances(
  wallet: WalletSummary,
  written: ReadonlySet<string> | null,
  newestVersions: ReadonlyMap<string, number>,
): Omit<WalletBalances, "publishedVersions"> {
  const records = wallet.outbox.records ?? [];
  const ages = records.map((record) => wallet.readAtMs - record.recorded_at_ms);
  return {
    wallet,
    waiting: written === null || wallet.outbox.records === null ? null : waitingOf(records, written),
    overdueRecords: ages.filter((age) => age > OVERDUE_MS).length,
    newestVersions,
  };
}

function waitingOf(
  records: readonly ImpressionRecord[],
  written: ReadonlySet<string>,
): NonNullable<WalletBalances["waiting"]> {
  const byCampaign = new Map<string, WaitingBalances>();
  const priceByDay = new Map<string, bigint>();
  const all = { impressions: 0n, priceMillicents: 0n };
  for (const { impression_id, recorded_at_ms, match } of records) {
    if (written.has(impression_id)) continue;
    const price = BigInt(match.price_millicents);
    const own = byCampaign.get(match.campaign_id) ?? { impressions: 0n, priceMillicents: 0n };
    byCampaign.set(match.campaign_id, {
      impressions: own.impressions + 1n,
      priceMillicents: own.priceMillicents + price,
    });
    const day = `${match.campaign_id} ${utcDay(recorded_at_ms)}`;
    priceByDay.set(day, (priceByDay.get(day) ?? 0n) + price);
    all.impressions += 1n;
    all.priceMillicents += price;
  }
  return { all, byCampaign, priceByDay };
}

/** For campaigns above a limit: the newest version under which anything was taken. */
export async function readNewestVersions(
  reader: WalletReader,
  advertiser: AdvertiserBalances,
  wallet: WalletSummary,
): Promise<Map<string, number>> {
  const newest = new Map<string, number>();
  for (const inWallet of wallet.campaigns.filter(isOverLimit)) {
    const id = inWallet.campaignId;
    const billed = advertiser.campaigns.find((campaign) => campaign.campaignId === id)?.versions.newest ?? 0;
    const waiting = (wallet.outbox.records ?? [])
      .filter(({ match }) => match.campaign_id === id)
      .map(({ match }) => match.campaign_version);
    newest.set(id, Math.max(billed, await reader.newestHeldVersion(advertiser.advertiserId, id), ...waiting));
  }
  return newest;
}
