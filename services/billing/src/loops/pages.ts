import type { Database } from "@diegetic/database";
import { type MoneyCommands, type Page, walletIds } from "@diegetic/hot-state";

const ADVERTISERS_PER_PAGE = 500;
const MAX_SCANNED_PAGES = 20;
const RECORDS_PER_PAGE = 500;

/** Reads rows in the order of their ids, page by page. */
export async function* pagesOf<Row extends { id: string }>(
  read: (after: string) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let page = await read("");
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    yield page;
    page = await read(last.id);
  }
}

/** Arguments of a Prisma query that reads the page after an id. */
export function pageAfter(id: string, take: number) {
  return { where: { id: { gt: id } }, orderBy: { id: "asc" as const }, take };
}

/** All advertisers, page by page. */
export function advertiserPages(
  database: Database,
  take: number,
): AsyncGenerator<{ id: string; walletSlices: number }[]> {
  return pagesOf((after) =>
    database.advertiser.findMany({ ...pageAfter(after, take), select: { id: true, walletSlices: true } }),
  );
}

/** The ids of all wallets, by pages of advertisers. */
export async function* walletPages(
  database: Database,
  take = ADVERTISERS_PER_PAGE,
): AsyncGenerator<string[]> {
  for await (const page of advertiserPages(database, take)) {
    yield page.flatMap(({ id, walletSlices }) => walletIds(id, walletSlices));
  }
}

/** The first pages of a hash. */
export async function* scannedPages<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  maxPages = MAX_SCANNED_PAGES,
): AsyncGenerator<Page<Item>> {
  let cursor: string | null | undefined;
  for (let count = 0; count < maxPages && cursor !== null; count++) {
    const page = await read(cursor);
    yield page;
    cursor = page.cursor;
  }
}

type Outboxes = Pick<MoneyCommands, "listOutbox">;

/** The first records of an outbox, about 10 000: a longer one is a backlog that is being written. */
export function outboxPages(money: Outboxes, walletId: string, maxPages?: number) {
  return scannedPages((cursor) => money.listOutbox(walletId, RECORDS_PER_PAGE, cursor), maxPages);
}

/** All records of an outbox, also while others are added. */
export function wholeOutbox(money: Outboxes, walletId: string) {
  return outboxPages(money, walletId, Number.POSITIVE_INFINITY);
}
