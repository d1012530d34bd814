import { chunks } from "@diegetic/collections";
import {
  type DamagedEntry,
  type DueIndex,
  type GameSessions,
  isRedisUnavailable,
  type LapsedHold,
  type MoneyCommands,
} from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import { forEachLimited, tryEachLimited } from "../loops/for-each.ts";
import { scannedPages } from "../loops/pages.ts";
import { visitDue } from "../loops/visit-due.ts";
import type { BillingMeasures } from "../measures.ts";

export interface ReleaserDependencies {
  money: Pick<MoneyCommands, "listLapsed" | "release" | "listSessionReleases" | "ackSessionReleases">;
  sessions: Pick<GameSessions, "returnSeat">;
  due: Pick<DueIndex, "due" | "reschedule">;
  /** Called for each released hold with the developer's account. */
  onLapsed: (accountId: string) => void;
  measures: BillingMeasures;
  logger: Logger;
  nowMs: () => number;
}

const MAX_CONCURRENT_WALLETS = 8;
const HOLDS_PER_PAGE = 200;
const PAGES_PER_WALLET = 20;
export const MAX_CONCURRENT_CALLS = 16;
/**
 * Delay before holds that could not be released are tried again: damaged ones, and those of frozen and unavailable
 * wallets.
 */
const KEPT_PAUSE_MS = 10_000;

/**
 * Releases lapsed holds. First, the wallet gets back the money and the creative's appearance, and records
 * a session release; then the player session gets back its seat; then the session release is deleted. After a crash,
 * the next pass does the remaining steps.
 */
export class Releaser {
  readonly #dependencies: ReleaserDependencies;

  constructor(dependencies: ReleaserDependencies) {
    this.#dependencies = dependencies;
  }

  /** Visits the wallets that are due. */
  async pass(signal: AbortSignal): Promise<void> {
    const { due, nowMs } = this.#dependencies;
    const visits = {
      due,
      kind: "holds" as const,
      nowMs,
      maxConcurrent: MAX_CONCURRENT_WALLETS,
      pauseAfterFailureMs: KEPT_PAUSE_MS,
    };
    const failed = await visitDue(visits, signal, (walletId) => this.releaseLapsed(walletId));
    if (failed.length > 0) throw failed[0];
  }

  /** Releases the lapsed holds of one wallet. Returns when to check again (Unix ms); null: no hold is left. */
  async releaseLapsed(walletId: string): Promise<number | null> {
    const { money, nowMs, logger } = this.#dependencies;
    let nextCheckMs: number | null = nowMs();
    /** Holds that could not be released. They are the oldest, so the next page starts behind them. */
    let kept = 0;
    for (let page = 0; page < PAGES_PER_WALLET; page++) {
      const lapsed = await money.listLapsed(walletId, HOLDS_PER_PAGE, kept);
      const { damaged, holds } = lapsed;
      if (damaged.length > 0) {
        logger.error({ walletId, member: damaged[0], holds: damaged.length }, "damaged holds found");
      }
      const result = await this.#release(holds);
      kept += result.kept + damaged.length;
      nextCheckMs = result.frozen ? null : lapsed.nextLapsesAtMs;
      if (result.frozen || holds.length + damaged.length < HOLDS_PER_PAGE) break;
    }
    await this.returnSeats(walletId);
    if (kept === 0) return nextCheckMs;
    return Math.min(nextCheckMs ?? Number.MAX_SAFE_INTEGER, nowMs() + KEPT_PAUSE_MS);
  }

  /** Returns the session seats of this wallet's released holds, except in unavailable games. Rejects at the end. */
  async returnSeats(walletId: string): Promise<void> {
    const { money, sessions, measures, logger } = this.#dependencies;
    const unavailable = new Set<string>();
    const failures: unknown[] = [];
    const pages = scannedPages((cursor) => money.listSessionReleases(walletId, HOLDS_PER_PAGE, cursor));
    for await (const { items, damaged } of pages) {
      const done: string[] = [];
      const failed = await tryEachLimited(items, MAX_CONCURRENT_CALLS, async ({ matchId, ...session }) => {
        // Each call could take its whole time limit.
        if (unavailable.has(session.gameId)) return;
        try {
          await sessions.returnSeat(session, matchId);
          done.push(matchId);
        } catch (error) {
          // A damaged session release does not block the others.
          if (isRedisUnavailable(error)) {
            unavailable.add(session.gameId);
            throw error;
          }
          logger.error({ err: error, walletId, matchId }, "session release failed");
        }
      });
      failures.push(...failed.slice(0, 1));
      measures.seatsReturned.inc(await this.#removeReleases(walletId, done));
      await this.#dropDamaged(walletId, damaged);
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * A damaged entry names no session, so its seat cannot be returned; the seat expires with the session. No money is
   * involved.
   */
  async #dropDamaged(walletId: string, damaged: readonly DamagedEntry[]): Promise<void> {
    const [first] = damaged;
    if (first === undefined) return;
    this.#dependencies.logger.error(
      {
        walletId,
        matchId: first.field,
        // Not the text, which may name a player's session.
        characters: first.text.length,
        sessionReleases: damaged.length,
      },
      "damaged session releases dropped",
    );
    await this.#removeReleases(
      walletId,
      damaged.map(({ field }) => field),
    );
  }

  /** Returns how many of them still existed. */
  async #removeReleases(walletId: string, matchIds: readonly string[]): Promise<number> {
    let count = 0;
    for (const some of chunks(matchIds, HOLDS_PER_PAGE)) {
      count += await this.#dependencies.money.ackSessionReleases(walletId, some);
    }
    return count;
  }

  /** `kept`: holds that are still open. `frozen`: the wallet must be restored first. */
  async #release(holds: LapsedHold[]): Promise<{ kept: number; frozen: boolean }> {
    const { money, measures, logger, onLapsed } = this.#dependencies;
    let kept = 0;
    let frozen = false;
    let isUnavailable = false;
    await forEachLimited(holds, MAX_CONCURRENT_CALLS, async (hold) => {
      // Each call could take its whole time limit.
      if (isUnavailable) return;
      try {
        const result = await money.release(hold, "lapsed");
        if (result === "released") {
          measures.releasedHolds.inc();
          onLapsed(hold.developerAccountId);
        }
        if (result === "unknown_wallet") measures.frozenHolds.inc();
        frozen ||= result === "unknown_wallet";
        // not_open: another instance released the hold, or an impression charged it.
        if (result === "unknown_wallet" || result === "not_due") kept += 1;
      } catch (error) {
        // A damaged hold does not block the others.
        if (isRedisUnavailable(error)) {
          isUnavailable = true;
          throw error;
        }
        logger.error({ err: error, ...hold }, "hold release failed");
        kept += 1;
      }
    });
    return { kept, frozen };
  }
}
