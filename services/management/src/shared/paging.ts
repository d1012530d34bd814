import { type IdPrefix, integerParameter, singleParameter } from "@diegetic/contracts";
import { type Answer, badRequest, type RequestContext } from "@diegetic/service-kit";
import { isIdentifier } from "./identifiers.ts";

const LIMIT = { minimum: 1, maximum: 500 };

/** What of a list was asked for; without a limit, all of it. */
export interface Paging {
  limit: number | undefined;
  /** The identifier after which the page begins. */
  after: string | undefined;
}

/** Reads `?limit=` and `?cursor=` (docs/behaviour.md#lists). A cursor is the identifier of the last row of a page. */
export function readPaging(context: RequestContext, prefix: IdPrefix): Paging {
  const limit = integerParameter("limit", context.query, LIMIT);
  const after = singleParameter("cursor", context.query);
  if (after !== undefined && !isIdentifier(prefix, after)) {
    throw badCursor();
  }
  return { limit, after };
}

/** How many rows to read for a page: one more than it shows, to learn whether another follows. */
export function rowsToRead(paging: Paging): number | undefined {
  return paging.limit === undefined ? undefined : paging.limit + 1;
}

/** A query for the rows of a page, in the order of creation: identifiers sort by its moment. Without paging, all. */
export function rowsOfPage<Of extends object>(of: Of, paging?: Paging) {
  const take = paging === undefined ? undefined : rowsToRead(paging);
  return {
    where: { ...of, ...(paging?.after === undefined ? {} : { id: { gt: paging.after } }) },
    orderBy: { id: "asc" as const },
    ...(take === undefined ? {} : { take }),
  };
}

/** The answer with one page of rows, and a Link header when more follow. */
export function pageAnswer<Row extends { id: string }>(
  context: RequestContext,
  paging: Paging,
  rows: readonly Row[],
  present: (row: Row) => unknown,
): Answer {
  const shown = paging.limit === undefined ? rows : rows.slice(0, paging.limit);
  const last = shown.at(-1);
  const answer = { status: 200, body: shown.map(present) };
  if (shown.length === rows.length || last === undefined) return answer;
  return { ...answer, headers: nextPage(context, String(paging.limit), last.id) };
}

/** Names the next page; the other parameters of the request stay as they are. */
export function nextPage(context: RequestContext, limit: string, cursor: string): Record<string, string> {
  const path = context.operation.slice(context.operation.indexOf(" ") + 1);
  const query = context.query;
  query.set("limit", limit);
  query.set("cursor", cursor);
  return { Link: `<${path}?${query}>; rel="next"` };
}

/** A part of a list that is ordered by what it sums up: where it begins, and how many rows it has. */
export interface Window {
  limit: number;
  offset: number;
}

/**
 * Reads `?limit=` and `?cursor=` of a list without an identifier to continue from. The cursor is the number of rows
 * before the page, so that rows that move meanwhile may come twice or not at all.
 */
export function readWindow(context: RequestContext): Window {
  const limit = integerParameter("limit", context.query, LIMIT) ?? LIMIT.maximum;
  const cursor = singleParameter("cursor", context.query) ?? "0";
  if (!/^\d{1,9}$/.test(cursor)) throw badCursor();
  return { limit, offset: Number(cursor) };
}

/** Header for the window after this one; none when nothing follows. */
export function windowHeaders(
  context: RequestContext,
  { limit, offset }: Window,
  hasMore: boolean,
): Record<string, string> {
  return hasMore ? nextPage(context, String(limit), String(offset + limit)) : {};
}

function badCursor() {
  return badRequest(
    "cursor must be one that a Link header of this list named: leave it out to begin at the first page",
  );
}
