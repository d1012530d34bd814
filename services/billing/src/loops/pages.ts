import type { Database } from "@diegetic/database";

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

/** The ids of all advertisers, page by page. */
export function advertiserPages(database: Database, take: number): AsyncGenerator<{ id: string }[]> {
  return pagesOf((after) =>
    database.advertiser.findMany({ ...pageAfter(after, take), select: { id: true } }),
  );
}
