import type { Database } from "@diegetic/database";
import type { WalletLimits, WalletReader } from "@diegetic/hot-state";
import type { AdvertiserBalances, WalletBalances } from "./balances.ts";
import { checkAdvertiser } from "./check-advertiser.ts";
import { checkWallet } from "./check-wallet.ts";
import type { Comparison } from "./comparison.ts";
import { Comparisons } from "./comparison.ts";
import type { Inspection, Look } from "./inspection.ts";
import { atOneMoment, readAdvertisers, readWrittenCounts } from "./read-advertisers.ts";
import {
  type ReadWallet,
  readNewestVersions,
  readWallets,
  readWrittenIds,
  walletBalances,
} from "./read-wallets.ts";

export interface ReconciliationParts {
  database: Database;
  wallets: WalletReader;
  limits: WalletLimits;
  nowMs: () => number;
  /** Time limit for reading one page. Milliseconds. */
  timeoutMs: number;
}

const ADVERTISERS_PER_PAGE = 50;

/** Inspects every advertiser, page by page: its balances in Postgres and its wallet in Redis. */
export async function* advertiserInspections(parts: ReconciliationParts): AsyncGenerator<Inspection> {
  let after = "";
  for (;;) {
    const page = await parts.database.advertiser.findMany({
      select: { id: true },
      where: { id: { gt: after } },
      orderBy: { id: "asc" },
      take: ADVERTISERS_PER_PAGE,
    });
    const ids = page.map(({ id }) => id);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield {
      name: "advertisers",
      look: (owners) => lookAt(parts, owners === undefined ? ids : ids.filter((id) => owners.has(id))),
    };
    after = last;
  }
}

/**
 * Reads the wallet between two counts of written impressions: if both are equal, wallet, outbox and Postgres are of the
 * same moment.
 */
async function lookAt(parts: ReconciliationParts, ids: readonly string[]): Promise<Look> {
  const { database, nowMs, timeoutMs } = parts;
  const { campaignIds, publishedVersions } = await readPublished(database, ids);
  const before = await readWrittenCounts(database, ids);
  const wallets = await readWallets(parts.wallets, campaignIds, parts.limits);
  const records = [...wallets.values()].flatMap((wallet) =>
    typeof wallet === "string" ? [] : (wallet.outbox.records ?? []),
  );
  const { advertisers, written } = await atOneMoment(database, timeoutMs, async (transaction) => ({
    advertisers: await readAdvertisers(transaction, ids, nowMs()),
    written: await readWrittenIds(transaction, records),
  }));
  const look: Look = { comparisons: [], notCompared: [] };
  for (const advertiser of advertisers) {
    look.comparisons.push(...checkAdvertiser(advertiser).list);
    const stoodStill = before.get(advertiser.advertiserId) === advertiser.impressions;
    const wallet = wallets.get(advertiser.advertiserId) ?? "moving";
    const { comparisons, complete } = await compareWallet(
      parts,
      advertiser,
      wallet,
      stoodStill ? written : null,
      publishedVersions,
    );
    look.comparisons.push(...comparisons);
    if (!complete) look.notCompared.push(advertiser.advertiserId);
  }
  return look;
}

async function compareWallet(
  parts: ReconciliationParts,
  advertiser: AdvertiserBalances,
  wallet: ReadWallet,
  written: ReadonlySet<string> | null,
  publishedVersions: ReadonlyMap<string, number>,
): Promise<{ comparisons: Comparison[]; complete: boolean }> {
  const id = advertiser.advertiserId;
  if (wallet === "moving") return { comparisons: [], complete: false };
  if (wallet === "unreadable") {
    const checks = new Comparisons(id);
    checks.equal("wallet_present", id, 1, 0);
    return { comparisons: checks.list, complete: true };
  }
  const newest = await readNewestVersions(parts.wallets, advertiser, wallet);
  const balances: WalletBalances = { ...walletBalances(wallet, written, newest), publishedVersions };
  const complete =
    wallet.account === null || (balances.waiting !== null && wallet.holds.sumMillicents !== null);
  return { comparisons: checkWallet(advertiser, balances).list, complete };
}

/** The advertisers' campaigns and their published versions. Redis already has every published version. */
async function readPublished(
  database: Database,
  ids: readonly string[],
): Promise<{ campaignIds: Map<string, string[]>; publishedVersions: Map<string, number> }> {
  const advertisers = await database.advertiser.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, publishedVersion: true },
  });
  const campaigns = await database.campaign.findMany({
    where: { advertiserId: { in: [...ids] } },
    select: { id: true, advertiserId: true, publishedVersion: true },
    orderBy: { id: "asc" },
  });
  const campaignIds = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { id, advertiserId } of campaigns) campaignIds.get(advertiserId)?.push(id);
  const rows = [...advertisers, ...campaigns];
  return {
    campaignIds,
    publishedVersions: new Map(rows.map(({ id, publishedVersion }) => [id, publishedVersion])),
  };
}
