import {
  type DamagedEntry,
  type DueIndex,
  type GameSessions,
  isRedisUnavailable,
  type LapsedHold,
  type MoneyCommands,
} from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import { forEachLimited } from "../loops/for-each.ts";
import type { BillingMeasures } from "../measures.ts";

export interface ReleaserDependencies {
  money: Pick<MoneyCommands, "listLapsed" | "release" | "listSessionReleases" | "ackSessionReleases">;
  sessions: Pick<GameSessions, "unadmit">;
  due: Pick<DueIndex, "due" | "settle">;
  measures: BillingMeasures;
  logger: Logger;
  nowMs: () => number;
}

const ADVERTISERS_PER_PASS = 200;
const ADVERTISERS_AT_A_TIME = 8;
const HOLDS_PER_PAGE = 200;
const PAGES_PER_ADVERTISER = 20;
const CALLS_AT_A_TIME = 16;
/** After so long holds that could not be released are tried again: those of a wallet that has to be restored first, and bad ones. */
const KEPT_PAUSE_MS = 10_000;
/** Of what is damaged so much is logged. Characters. */
const MAX_LOGGED = 200;

/**
 * Gives back what nobody used: first the money and the creative's appearance, in the advertiser's wallet, which leaves a
 * session release; then the place in the player session, in the game's wallet; then the session release is forgotten. A crash after
 * any of these steps leaves the rest to the next pass.
 */
export class Releaser {
  readonly #dependencies: ReleaserDependencies;

  constructor(dependencies: ReleaserDependencies) {
    this.#dependencies = dependencies;
  }

  /** Looks at the advertisers that are due. */
  async pass(signal: AbortSignal): Promise<void> {
    const { due, nowMs } = this.#dependencies;
    const advertisers = await due.due("holds", nowMs(), ADVERTISERS_PER_PASS);
    await forEachLimited(advertisers, ADVERTISERS_AT_A_TIME, async ({ advertiserId, dueMs }) => {
      if (signal.aborted) return;
      await due.settle("holds", advertiserId, dueMs, await this.releaseLapsed(advertiserId));
    });
  }

  /** Releases the lapsed holds of one advertiser. Answers when to look again (Unix ms), null: no hold is left. */
  async releaseLapsed(advertiserId: string): Promise<number | null> {
    const { money, nowMs, logger } = this.#dependencies;
    let lookAgainMs: number | null = nowMs();
    /** Of the oldest: those that could not be released lie before all others. */
    let kept = 0;
    for (let page = 0; page < PAGES_PER_ADVERTISER; page++) {
      const lapsed = await money.listLapsed(advertiserId, HOLDS_PER_PAGE, kept);
      const { damaged, holds } = lapsed;
      if (damaged.length > 0) {
        logger.error({ advertiserId, member: damaged[0], holds: damaged.length }, "damaged holds found");
      }
      const result = await this.#release(holds);
      kept += result.kept + damaged.length;
      lookAgainMs = result.frozen ? null : lapsed.nextLapsesAtMs;
      if (result.frozen || holds.length + damaged.length < HOLDS_PER_PAGE) break;
    }
    await this.giveBack(advertiserId);
    if (kept === 0) return lookAgainMs;
    return Math.min(lookAgainMs ?? Number.MAX_SAFE_INTEGER, nowMs() + KEPT_PAUSE_MS);
  }

  /** Gives places in player sessions back that releases of this advertiser have left. */
  async giveBack(advertiserId: string): Promise<void> {
    const { money, sessions, measures, logger } = this.#dependencies;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_PER_ADVERTISER; page++) {
      const {
        items,
        damaged,
        cursor: next,
      } = await money.listSessionReleases(advertiserId, HOLDS_PER_PAGE, cursor);
      const done: string[] = [];
      await forEachLimited(items, CALLS_AT_A_TIME, async ({ matchId, ...session }) => {
        try {
          await sessions.unadmit(session, matchId);
          done.push(matchId);
        } catch (error) {
          // One bad session does not keep the places of the others.
          if (isRedisUnavailable(error)) throw error;
          logger.error({ err: error, advertiserId, matchId }, "session release failed");
        }
      });
      measures.givenBack.inc(await this.#forget(advertiserId, done));
      await this.#quarantine(advertiserId, damaged);
      if (next === null) return;
      cursor = next;
    }
  }

  /** Nobody can tell which session they mean. It ends by itself, and there is no money in them: that they were there is reported. */
  async #quarantine(advertiserId: string, damaged: readonly DamagedEntry[]): Promise<void> {
    const [first] = damaged;
    if (first === undefined) return;
    this.#dependencies.logger.error(
      {
        advertiserId,
        matchId: first.field,
        text: first.text.slice(0, MAX_LOGGED),
        sessionReleases: damaged.length,
      },
      "sessionReleases are damaged: they were quarantined",
    );
    await this.#forget(
      advertiserId,
      damaged.map(({ field }) => field),
    );
  }

  /** Answers how many of them were still there. */
  async #forget(advertiserId: string, matchIds: readonly string[]): Promise<number> {
    let count = 0;
    for (let start = 0; start < matchIds.length; start += HOLDS_PER_PAGE) {
      const some = matchIds.slice(start, start + HOLDS_PER_PAGE);
      count += await this.#dependencies.money.ackSessionReleases(advertiserId, some);
    }
    return count;
  }

  /** `kept`: how many of the holds are still there. `frozen`: because their wallet has to be restored first. */
  async #release(holds: LapsedHold[]): Promise<{ kept: number; frozen: boolean }> {
    const { money, measures, logger } = this.#dependencies;
    let kept = 0;
    let frozen = false;
    await forEachLimited(holds, CALLS_AT_A_TIME, async (hold) => {
      try {
        const result = await money.release(hold, "lapsed");
        if (result === "released") measures.releasedHolds.inc();
        if (result === "unknown_wallet") measures.frozenWallets.inc();
        frozen ||= result === "unknown_wallet";
        // not_open: another instance or an impression was faster.
        if (result === "unknown_wallet" || result === "not_due") kept += 1;
      } catch (error) {
        // One bad hold does not keep the money of the others.
        if (isRedisUnavailable(error)) throw error;
        logger.error({ err: error, ...hold }, "hold release failed");
        kept += 1;
      }
    });
    return { kept, frozen };
  }
}
