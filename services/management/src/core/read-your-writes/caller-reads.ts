import { registerFirst } from "@diegetic/contracts";
import { Prisma, type Reader } from "@diegetic/database";
import { LRUCache } from "lru-cache";
import { type ReadingBarrier, WRITTEN_IMPRESSIONS } from "./reading-barrier.ts";

/** The first columns of every row about a caller's own data. */
export interface CallerRow {
  caller_id: string;
  /** Value of `WRITTEN_IMPRESSIONS`; null: the row contains nothing of the caller's. */
  written: bigint | null;
}

/** Maximum accounts whose advertiser is remembered. */
const MAX_REMEMBERED = 10_000;

/** The advertiser of the account, as `caller`: its columns, and `written`. Goes into a WITH clause. */
export function callerIs(accountId: string): Prisma.Sql {
  return Prisma.sql`caller AS MATERIALIZED (
      SELECT a.*, ${WRITTEN_IMPRESSIONS} AS written FROM advertisers a WHERE a.account_id = ${accountId}
    )`;
}

/**
 * Reads of advertisers that include everything billed before the request. Authorisation and data are one statement,
 * which runs concurrently with the wallet read. The account's advertiser, which never changes, is remembered to find the
 * wallet; the statement alone authorises.
 */
export class CallerReads {
  readonly #reader: Reader;
  readonly #barrier: ReadingBarrier;
  /** By account. */
  readonly #advertisers = new LRUCache<string, string>({ max: MAX_REMEMBERED });

  constructor(parts: { reader: Reader; barrier: ReadingBarrier }) {
    this.#reader = parts.reader;
    this.#barrier = parts.barrier;
  }

  /** Runs a statement that selects from `caller`; at least one row for an advertiser. Throws 403 before registration. */
  async rows<Row extends CallerRow>(accountId: string, statement: Prisma.Sql): Promise<[Row, ...Row[]]> {
    const read = async () => {
      const [first, ...others] = await this.#reader.query<Row>(statement);
      if (first === undefined) throw registerFirst.error();
      return [first, ...others] satisfies [Row, ...Row[]];
    };
    const known = this.#advertisers.get(accountId);
    const advertiserId = known ?? (await read())[0].caller_id;
    if (known === undefined) this.#advertisers.set(accountId, advertiserId);
    return this.#barrier.readWritten(advertiserId, read, ([{ written }]) =>
      written === null ? null : Number(written),
    );
  }
}
