import { badCursor, type IdPrefix, integerParameter, singleParameter } from "@diegetic/contracts";
import type { Answer, RequestContext } from "@diegetic/service-kit";

const LIMIT = { minimum: 1, maximum: 500 };
/** What follows the prefix: a ULID, or 32 hexadecimal digits where Postgres makes the identifier. */
const MADE_IDENTIFIER = /^(?:[0-7][0-9a-hjkmnp-tv-z]{25}|[0-9a-f]{32})$/;

/** The requested page of a list; without a limit, the whole list. */
export interface Paging {
  limit: number | undefined;
  /** The page begins after this identifier. */
  after: string | undefined;
}

/**
 * Reads `?limit=` and `?cursor=` (docs/behaviour.md#lists). A cursor is the identifier of a page's last row.
 * @param prefix absent: identifiers may have any form
 */
export function readPaging(context: RequestContext, prefix?: IdPrefix): Paging {
  const limit = integerParameter("limit", context.query, LIMIT);
  const after = singleParameter("cursor", context.query);
  if (after !== undefined && prefix !== undefined && !isMade(prefix, after)) throw badCursor.error();
  return { limit, after };
}

/** Another text, such as one that was cut off, would begin a list anew, or end it. */
function isMade(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && MADE_IDENTIFIER.test(text.slice(prefix.length + 1));
}

/** Rows to read for a page: one more than the limit, to detect a next page. */
export function rowsToRead(paging: Paging): number | undefined {
  return paging.limit === undefined ? undefined : paging.limit + 1;
}

/**
 * A query for the rows of a page, oldest or newest first: identifiers sort by creation time. Without paging, all rows.
 */
export function rowsOfPage<Of extends object>(of: Of, paging?: Paging, order: "asc" | "desc" = "asc") {
  const { after } = paging ?? {};
  const take = paging && rowsToRead(paging);
  return {
    where: { ...of, ...(after !== undefined && { id: order === "asc" ? { gt: after } : { lt: after } }) },
    orderBy: { id: order },
    ...(take !== undefined && { take }),
  };
}

/** The answer with one page of rows, and a Link header if there are more. */
export function pageAnswer<Row extends { id: string }>(
  context: RequestContext,
  paging: Paging,
  rows: readonly Row[],
  toResponse: (row: Row) => unknown,
): Answer {
  const page = paging.limit === undefined ? rows : rows.slice(0, paging.limit);
  const last = page.at(-1);
  const answer = { status: 200, body: page.map(toResponse) };
  if (page.length === rows.length || last === undefined) return answer;
  return { ...answer, headers: nextPage(context, String(paging.limit), last.id) };
}

/** How much of a list is read and written at a time: a list of megabytes must not keep other requests waiting. */
const PART = { characters: 256 * 1_024, firstRows: 10, maxRows: 100 };

interface WrittenRows<Row> {
  /** As JSON. */
  rows: string[];
  last: Row | undefined;
  /** The list goes on after `last`. */
  hasMore: boolean;
}

/**
 * Reads at most `limit` rows, and writes them, in parts.
 * @param read returns one row more than `count` when there are more, after `last`
 */
export async function writeInParts<Row>(
  limit: number,
  read: (count: number, last: Row | undefined) => Promise<readonly Row[]>,
  toResponse: (row: Row) => unknown,
): Promise<WrittenRows<Row>> {
  const rows: string[] = [];
  let [longest, perRead, hasMore] = [1, PART.firstRows, true];
  let last: Row | undefined;
  while (hasMore && rows.length < limit) {
    const count = Math.min(perRead, limit - rows.length);
    const part = await read(count, last);
    for (const row of part.slice(0, count)) {
      const written = JSON.stringify(toResponse(row));
      rows.push(written);
      longest = Math.max(longest, written.length);
      last = row;
    }
    hasMore = part.length > count;
    perRead = Math.max(1, Math.min(Math.floor(PART.characters / longest), PART.maxRows));
  }
  return { rows, last, hasMore };
}

/** A list of rows as JSON. */
export function listOf(rows: readonly string[]): Pick<Answer, "text"> {
  return { text: { mediaType: "application/json", content: `[${rows.join(",")}]` } };
}

/**
 * The answer with one page, or with the whole list, of rows whose number has no small limit.
 * @param idOf the identifier that a cursor names
 */
export async function listAnswer<Row>(
  context: RequestContext,
  { limit, after }: Paging,
  read: (paging: Paging) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
  toResponse: (row: Row) => unknown,
): Promise<Answer> {
  const { rows, last, hasMore } = await writeInParts<Row>(
    limit ?? Number.POSITIVE_INFINITY,
    (count, before) => read({ limit: count, after: before === undefined ? after : idOf(before) }),
    toResponse,
  );
  const answer = { status: 200, ...listOf(rows) };
  if (!hasMore || last === undefined) return answer;
  return { ...answer, headers: nextPage(context, String(limit), idOf(last)) };
}

/** Link to the next page; keeps the request's other parameters. */
export function nextPage(context: RequestContext, limit: string, cursor: string): Record<string, string> {
  const path = context.operation.slice(context.operation.indexOf(" ") + 1);
  const query = context.query;
  query.set("limit", limit);
  query.set("cursor", cursor);
  return { Link: `<${path}?${query}>; rel="next"` };
}

/** A page of a list sorted by an aggregate: its offset and limit. */
export interface Window {
  limit: number;
  offset: number;
}

/**
 * Reads `?limit=` and `?cursor=` of a list whose order may change. The cursor is an offset, so a row that moves between
 * requests may appear twice or not at all.
 */
export function readWindow(context: RequestContext): Window {
  const limit = integerParameter("limit", context.query, LIMIT) ?? LIMIT.maximum;
  const cursor = singleParameter("cursor", context.query) ?? "0";
  if (!/^\d{1,9}$/.test(cursor)) throw badCursor.error();
  return { limit, offset: Number(cursor) };
}

/** The answer with one window of a list, and a Link header unless it is the last. */
export function windowAnswer(
  context: RequestContext,
  { limit, offset }: Window,
  { hasMore, ...content }: { hasMore: boolean } & Pick<Answer, "body" | "text">,
  headers: Record<string, string> = {},
): Answer {
  const next = hasMore ? nextPage(context, String(limit), String(offset + limit)) : {};
  return { status: 200, ...content, headers: { ...headers, ...next } };
}
