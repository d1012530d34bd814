import { type Database, dateOfDay, type Reader, safeInteger } from "@diegetic/database";
import { type MoneyCommands, walletIds } from "@diegetic/hot-state";
import { PUBLISHED_KINDS, pageOfUnpublished } from "../../core/publishing/published-rows.ts";
import { writtenImpressions } from "../../core/read-your-writes/reading-barrier.ts";
import { lastDays } from "../../core/shared/time.ts";

const MAX_ADVERTISERS = 500;
/** Records read to find the oldest, shared by the outboxes: with every advertiser behind, four of each. */
const MAX_RECORDS = 2_000;
const MAX_RECORDS_PER_OUTBOX = 100;
/** Unpublished rows of one kind are counted up to this limit. */
const MAX_UNPUBLISHED = 1_000;
const MAX_DIVIDED_WALLETS = 100;

/** Counts that need only Postgres. */
export async function countRows(database: Database, nowMs: number) {
  const [today = "", yesterday = ""] = lastDays(nowMs, 2);
  const ofDay = (day: string) =>
    database.campaignRollup.aggregate({
      where: { day: dateOfDay(day) },
      _sum: { impressions: true, spentMillicents: true },
    });
  const [accounts, users, advertisers, activeCampaigns, quarantined, ofToday, ofYesterday, waiting] =
    await Promise.all([
      database.account.count(),
      database.user.count(),
      database.advertiser.count(),
      database.campaign.count({ where: { status: "active" } }),
      database.quarantinedImpression.count({ where: { resolvedAt: null } }),
      ofDay(today),
      ofDay(yesterday),
      Promise.all(PUBLISHED_KINDS.map((kind) => pageOfUnpublished(database, kind, "", MAX_UNPUBLISHED))),
    ]);
  return {
    accounts,
    users,
    advertisers,
    active_campaigns: activeCampaigns,
    impressions_today: safeInteger(ofToday._sum.impressions ?? 0n, "impressions"),
    impressions_yesterday: safeInteger(ofYesterday._sum.impressions ?? 0n, "impressions"),
    spent_today_millicents: safeInteger(ofToday._sum.spentMillicents ?? 0n, "spent"),
    unpublished_changes: waiting.reduce((sum, rows) => sum + rows.length, 0),
    quarantined_records: quarantined,
  };
}

/** Wallets in several slices, in the order of their advertisers. */
export async function readDividedWallets(database: Database) {
  const where = { walletSlices: { gt: 1 } };
  const [count, rows] = await Promise.all([
    database.advertiser.count({ where }),
    database.advertiser.findMany({ where, orderBy: { id: "asc" }, take: MAX_DIVIDED_WALLETS }),
  ]);
  return {
    count,
    listed: rows.map(({ id, companyName, walletSlices, version, publishedVersion }) => ({
      advertiser_id: id,
      company_name: companyName,
      slices: walletSlices,
      in_force: publishedVersion >= version,
    })),
  };
}

/** Compares the newest advertisers' money in Redis with Postgres. */
export async function readWaiting(
  { database, reader, wallets: money }: { database: Database; reader: Reader; wallets: MoneyCommands },
  nowMs: number,
) {
  // Reads Redis before Postgres, so that records written in between do not count as waiting.
  const ids = await database.advertiser.findMany({
    orderBy: { id: "desc" },
    take: MAX_ADVERTISERS,
    select: { id: true, walletSlices: true },
  });
  const accounts = await Promise.all(ids.map(({ id }) => money.readAccount(id)));
  const written = await writtenImpressions(
    reader,
    ids.map(({ id }) => id),
  );
  const behind = ids
    .map((row, index) => {
      const committed = accounts[index]?.impressions ?? 0;
      return { ...row, count: Math.max(0, committed - (written.get(row.id) ?? 0)) };
    })
    .filter(({ count }) => count > 0);
  const oldestMs = await oldestCommitted(money, behind);
  return {
    advertisers_looked_at: ids.length,
    held_millicents: accounts.reduce((sum, account) => sum + (account?.heldMillicents ?? 0), 0),
    impressions_waiting: behind.reduce((sum, { count }) => sum + count, 0),
    oldest_waiting_seconds:
      oldestMs === undefined ? null : Math.max(0, Math.round((nowMs - oldestMs) / 1_000)),
  };
}

/** Of a part of each outbox, which has no order: a lower bound. Undefined: none waits. */
async function oldestCommitted(
  money: MoneyCommands,
  advertisers: readonly { id: string; walletSlices: number }[],
): Promise<number | undefined> {
  const wallets = advertisers
    .flatMap(({ id, walletSlices }) => walletIds(id, walletSlices))
    .slice(0, MAX_RECORDS);
  const limit = Math.min(Math.floor(MAX_RECORDS / wallets.length), MAX_RECORDS_PER_OUTBOX);
  const pages = await Promise.all(wallets.map((walletId) => money.listOutbox(walletId, limit)));
  const moments = pages.flatMap(({ items }) => items.map(({ recorded_at_ms }) => recorded_at_ms));
  return moments.length === 0 ? undefined : Math.min(...moments);
}
