import type { DueIndex, GameSessions, LapsedHold, MoneyCommands } from "@diegetic/hot-state";
import { forEachLimited } from "../loops/for-each.ts";
import type { BillingMeasures } from "../measures.ts";

export interface ReleaserDependencies {
  money: Pick<MoneyCommands, "listLapsed" | "release" | "listGivebacks" | "ackGivebacks">;
  sessions: Pick<GameSessions, "unadmit">;
  due: Pick<DueIndex, "due" | "settle">;
  measures: BillingMeasures;
  nowMs: () => number;
}

const ADVERTISERS_PER_PASS = 200;
const ADVERTISERS_AT_A_TIME = 8;
const HOLDS_PER_PAGE = 200;
const PAGES_PER_ADVERTISER = 20;
const CALLS_AT_A_TIME = 16;
/** A slot that has to be rebuilt keeps its holds until then. */
const FROZEN_PAUSE_MS = 10_000;

/**
 * Gives back what nobody used: first the money and the creative's appearance, in the advertiser's slot, which leaves a
 * giveback; then the place in the player session, in the game's slot; then the giveback is forgotten. A crash after
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
    const { money, nowMs } = this.#dependencies;
    let lookAgainMs: number | null = nowMs();
    for (let page = 0; page < PAGES_PER_ADVERTISER; page++) {
      const { holds, nextLapsesAtMs } = await money.listLapsed(advertiserId, HOLDS_PER_PAGE);
      const kept = await this.#release(holds);
      if (kept > 0) {
        lookAgainMs = nowMs() + FROZEN_PAUSE_MS;
        break;
      }
      lookAgainMs = nextLapsesAtMs;
      if (holds.length < HOLDS_PER_PAGE) break;
    }
    await this.giveBack(advertiserId);
    return lookAgainMs;
  }

  /** Gives places in player sessions back that releases of this advertiser have left. */
  async giveBack(advertiserId: string): Promise<void> {
    const { money, sessions, measures } = this.#dependencies;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_PER_ADVERTISER; page++) {
      const { items, cursor: next } = await money.listGivebacks(advertiserId, HOLDS_PER_PAGE, cursor);
      await forEachLimited(items, CALLS_AT_A_TIME, ({ matchId, ...session }) =>
        sessions.unadmit(session, matchId),
      );
      for (let start = 0; start < items.length; start += HOLDS_PER_PAGE) {
        const done = items.slice(start, start + HOLDS_PER_PAGE).map(({ matchId }) => matchId);
        measures.givenBack.inc(await money.ackGivebacks(advertiserId, done));
      }
      if (next === null) return;
      cursor = next;
    }
  }

  /** How many of the holds are still there, because they could not be released. */
  async #release(holds: LapsedHold[]): Promise<number> {
    const { money, measures } = this.#dependencies;
    let kept = 0;
    await forEachLimited(holds, CALLS_AT_A_TIME, async (hold) => {
      const result = await money.release(hold, "lapsed");
      if (result === "released") measures.releasedHolds.inc();
      if (result === "unknown_slot") measures.frozenSlots.inc();
      // not_open: another instance or an impression was faster.
      if (result === "unknown_slot" || result === "not_due") kept += 1;
    });
    return kept;
  }
}
