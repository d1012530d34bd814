import { setTimeout as sleep } from "node:timers/promises";
import { SharedRuns } from "@diegetic/collections";
import { Prisma, type Reader } from "@diegetic/database";
import { advertiserOf, type DueIndex, type MoneyCommands } from "@diegetic/hot-state";

/** See docs/behaviour.md#reads-after-writes. */
const MAX_WAIT_MS = 1_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;
/** A read of a count that hangs holds up later ones of its advertiser no longer. */
const MAX_COUNT_WAIT_MS = 100;
/** Maximum advertisers that one read of earnings waits for; it ignores further ones (ADR 5). */
const MAX_ADVERTISERS = 1_000;

/**
 * Impressions of advertiser `a` in Postgres as its wallet counts them: without pending late charges, and with records
 * quarantined in the current recovery epoch, because those will never be written.
 */
export const WRITTEN_IMPRESSIONS = Prisma.sql`a.impressions
        + (SELECT count(*) FROM quarantined_impressions p WHERE p.advertiser_id = a.id AND p.recovery_epoch = a.recovery_epoch)
        - (SELECT count(*) FROM wallet_settlements s WHERE s.advertiser_id = a.id AND s.kind = 'late'
          AND s.settled_at IS NULL)`;

/** `WRITTEN_IMPRESSIONS` of each advertiser. */
export async function writtenImpressions(
  reader: Reader,
  advertiserIds: string[],
): Promise<Map<string, number>> {
  if (advertiserIds.length === 0) return new Map();
  const rows = await reader.query<{ id: string; impressions: bigint }>(Prisma.sql`
    SELECT a.id, ${WRITTEN_IMPRESSIONS} AS impressions FROM advertisers a WHERE a.id = ANY(${advertiserIds})`);
  return new Map(rows.map((row) => [row.id, Number(row.impressions)]));
}

/**
 * Delays a read until billing has written everything committed before the read began. After one second the read
 * proceeds with what is written.
 */
export class ReadingBarrier {
  readonly #reader: Reader;
  readonly #money: Pick<MoneyCommands, "committedCounts">;
  readonly #due: Pick<DueIndex, "registered">;
  /** Reads of committed impressions by advertiser; requests that wait share one that begins after they arrived. */
  readonly #committed = new SharedRuns<number>(() => sleep(MAX_COUNT_WAIT_MS, undefined, { ref: false }));

  constructor(parts: {
    reader: Reader;
    money: Pick<MoneyCommands, "committedCounts">;
    due: Pick<DueIndex, "registered">;
  }) {
    this.#reader = parts.reader;
    this.#money = parts.money;
    this.#due = parts.due;
  }

  /** For a read of one advertiser's money and impressions. */
  async awaitAdvertiser(advertiserId: string): Promise<void> {
    await this.#awaitWritten([advertiserId]);
  }

  /**
   * Reads Postgres and the committed count concurrently, because usually everything is written. If the read's
   * `WRITTEN_IMPRESSIONS` is lower, waits and reads once more.
   * @param writtenOf null: the read contains nothing to wait for
   */
  async readWritten<T>(
    advertiserId: string,
    read: () => Promise<T>,
    writtenOf: (result: T) => number | null,
  ): Promise<T> {
    const [committed, result] = await Promise.all([this.#committedCount(advertiserId), read()]);
    const written = writtenOf(result);
    if (written === null || written >= committed) return result;
    await this.#awaitCounts([advertiserId], new Map([[advertiserId, committed]]));
    return await read();
  }

  #committedCount(advertiserId: string): Promise<number> {
    return this.#committed.run(advertiserId, async () => {
      const counts = await this.#money.committedCounts([advertiserId]);
      return counts.get(advertiserId) ?? 0;
    });
  }

  /**
   * For a read of earnings, to which any advertiser with unwritten impressions may contribute: waits for the 1 000 that
   * are overdue longest.
   */
  async awaitEveryAdvertiser(): Promise<void> {
    const wallets = await this.#due.registered("outbox", MAX_ADVERTISERS);
    await this.#awaitWritten([...new Set(wallets.map(({ walletId }) => advertiserOf(walletId)))]);
  }

  async #awaitWritten(advertiserIds: readonly string[]): Promise<void> {
    if (advertiserIds.length === 0) return;
    await this.#awaitCounts(advertiserIds, await this.#money.committedCounts(advertiserIds));
  }

  async #awaitCounts(
    advertiserIds: readonly string[],
    committed: ReadonlyMap<string, number | null>,
  ): Promise<void> {
    const deadline = performance.now() + MAX_WAIT_MS;
    let waitedFor = advertiserIds.filter((id) => (committed.get(id) ?? 0) > 0);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const written = await writtenImpressions(this.#reader, waitedFor);
      waitedFor = waitedFor.filter((id) => (written.get(id) ?? 0) < (committed.get(id) ?? 0));
      const leftMs = deadline - performance.now();
      if (waitedFor.length === 0 || leftMs <= 0) return;
      await sleep(Math.min(pauseMs, leftMs));
    }
  }
}
