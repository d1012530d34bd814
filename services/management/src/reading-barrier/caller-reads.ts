import { Prisma, type Reader } from "@diegetic/database";
import { notRegistered } from "../advertiser/caller.ts";
import { type ReadingBarrier, WRITTEN_IMPRESSIONS } from "./reading-barrier.ts";

/** What each row of a statement about a caller's own things begins with. */
export interface CallerRow {
  caller_id: string;
  /** Of `WRITTEN_IMPRESSIONS`; null: nothing of the caller's is shown. */
  written: bigint | null;
}

/** Accounts of which the advertiser is remembered. */
const MAX_REMEMBERED = 10_000;

/** The advertiser of the account, as `caller`: its columns, and `written`. To stand in a WITH. */
export function callerIs(accountId: string): Prisma.Sql {
  return Prisma.sql`caller AS MATERIALIZED (
      SELECT a.*, ${WRITTEN_IMPRESSIONS} AS written FROM advertisers a WHERE a.account_id = ${accountId}
    )`;
}

/**
 * Reads of advertisers that see everything billed before they were asked for. Who calls, whether he may, and what he asks for
 * are one statement, which runs while the wallet is asked. Which wallet that is, is remembered from the caller's last read; the
 * statement does not rely on it.
 */
export class CallerReads {
  readonly #reader: Reader;
  readonly #barrier: ReadingBarrier;
  /** Advertiser by account, the last used last. */
  readonly #advertisers = new Map<string, string>();

  constructor(parts: { reader: Reader; barrier: ReadingBarrier }) {
    this.#reader = parts.reader;
    this.#barrier = parts.barrier;
  }

  /**
   * The rows of a statement that selects from `caller`, at least one for an advertiser. Throws 403 when the caller has not
   * registered.
   */
  async rows<Row extends CallerRow>(accountId: string, statement: Prisma.Sql): Promise<[Row, ...Row[]]> {
    const read = async () => {
      const [first, ...others] = await this.#reader.query<Row>(statement);
      if (first === undefined) throw notRegistered();
      return [first, ...others] satisfies [Row, ...Row[]];
    };
    const advertiserId = this.#advertisers.get(accountId) ?? (await read())[0].caller_id;
    const rows = await this.#barrier.reading(advertiserId, read, ([{ written }]) =>
      written === null ? null : Number(written),
    );
    const callerId = rows[0].caller_id;
    this.#remember(accountId, callerId);
    if (callerId === advertiserId) return rows;
    // Never so while advertisers keep their accounts: then the wrong wallet was asked.
    await this.#barrier.advertiser(callerId);
    return read();
  }

  #remember(accountId: string, advertiserId: string): void {
    this.#advertisers.delete(accountId);
    this.#advertisers.set(accountId, advertiserId);
    for (const oldest of this.#advertisers.keys()) {
      if (this.#advertisers.size <= MAX_REMEMBERED) return;
      this.#advertisers.delete(oldest);
    }
  }
}
