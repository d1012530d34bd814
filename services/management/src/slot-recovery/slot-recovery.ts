import type { ImpressionRecord } from "@diegetic/contracts";
import { type Database, utcDay } from "@diegetic/database";
import { type DueIndex, type FrozenSlot, isRedisAway, type MoneyCommands } from "@diegetic/hot-state";
import type { Logger, Metrics } from "@diegetic/service-kit";
import { beginEpochs, type KnownAdvertiser, slotEpochs } from "./load.ts";
import { isIntact, type SlotTotals, totalsOf } from "./totals.ts";

/** Advertisers whose rows one transaction locks. */
const BATCH = 100;
const OUTBOX_PAGE = 500;
/** A longer outbox is first worked off by billing, which a frozen slot does not stop. */
const LONGEST_OUTBOX = 10_000;

export interface SlotRecoveryParts {
  database: Database;
  slots: Pick<MoneyCommands, "freezeUnlessLive" | "restoreSlot" | "listOutbox" | "readCampaign">;
  due: Pick<DueIndex, "register">;
  nowMs: () => number;
  logger: Logger;
  metrics: Metrics;
}

interface Found {
  slot: FrozenSlot;
  epoch: number;
  outbox: ImpressionRecord[];
}

/**
 * Brings advertisers' slots back that may not serve: those that Redis has lost, those on a server that was restarted or
 * promoted since, and those of another epoch than Postgres knows. Each is frozen, counted anew from Postgres under a new
 * epoch, and let go, by one script, only while it is as it was found. Any number of instances may do that at once.
 */
export class SlotRecovery {
  readonly #parts: SlotRecoveryParts;
  readonly #restored;

  constructor(parts: SlotRecoveryParts) {
    this.#parts = parts;
    this.#restored = parts.metrics.counter(
      "slots_restored_total",
      "Advertisers' slots that serve again; forgotten: with their holds and matches void",
      ["matches"],
    );
  }

  /** Looks at slots and restores those that are frozen. Returns how many still are: they need another look. */
  async restoreFrozen(advertiserIds: readonly string[]): Promise<number> {
    const { database } = this.#parts;
    let left = 0;
    for (let start = 0; start < advertiserIds.length; start += BATCH) {
      const ids = advertiserIds.slice(start, start + BATCH);
      left += await this.#restoreBatch(await slotEpochs(database, ids));
    }
    return left;
  }

  async #restoreBatch(epochs: Map<string, number>): Promise<number> {
    const { database, logger } = this.#parts;
    const found = new Map<string, Found>();
    let left = 0;
    await Promise.all(
      [...epochs].map(async ([id, epoch]) => {
        try {
          const slot = await this.#parts.slots.freezeUnlessLive(id, epoch);
          if (slot.state === "live") return;
          const outbox = await this.#readOutbox(id);
          if (outbox === null) left += 1;
          else found.set(id, { slot, epoch, outbox });
        } catch (error) {
          this.#leave(id, error);
          left += 1;
        }
      }),
    );
    const [first] = found.values();
    if (first === undefined) return left;
    // Of Redis, not of this process: its scripts count the day's spending by their own clock.
    const { day } = first.slot;
    for (const [id, { slot }] of found) {
      // Midnight passes while the nodes of a cluster are asked: the next look is after it.
      if (slot.day === day) continue;
      found.delete(id);
      left += 1;
    }
    const known = await beginEpochs(database, new Map([...found].map(([id, { epoch }]) => [id, epoch])), {
      day,
      outbox: [...found.values()].flatMap(({ outbox }) =>
        outbox.map((record) => ({
          impressionId: record.impression_id,
          day: utcDay(record.recorded_at_ms),
        })),
      ),
    });
    let restored = 0;
    await Promise.all(
      known.map(async (advertiser) => {
        const slot = found.get(advertiser.id);
        if (slot === undefined) return;
        try {
          if (await this.#restore(advertiser, slot, day)) restored += 1;
        } catch (error) {
          this.#leave(advertiser.id, error);
        }
      }),
    );
    logger.warn({ found: found.size, restored }, "advertisers' slots were restored from Postgres");
    return left + found.size - restored;
  }

  async #restore(known: KnownAdvertiser, { slot, epoch, outbox }: Found, day: string): Promise<boolean> {
    const totals = totalsOf(known, outbox, day);
    const forgetMatches = !(await this.#isIntact(slot, epoch, { known, totals }));
    const outcome = await this.#parts.slots.restoreSlot({
      ...totals,
      advertiserId: known.id,
      found: slot,
      epoch: known.epoch,
      forgetMatches,
      version: known.version,
      depositedMillicents: known.depositedMillicents,
      day,
    });
    if (outcome === "changed") return false;
    this.#restored.inc({ matches: forgetMatches ? "forgotten" : "kept" });
    await this.#announce(known.id, {
      holds: !forgetMatches && slot.heldMillicents > 0,
      outbox: outbox.length > 0,
    });
    return true;
  }

  async #isIntact(
    slot: FrozenSlot,
    epoch: number,
    expected: { known: KnownAdvertiser; totals: SlotTotals },
  ): Promise<boolean> {
    if (slot.epoch !== String(epoch)) return false;
    const campaigns = await Promise.all(
      expected.totals.campaigns.map(({ campaignId }) =>
        this.#parts.slots.readCampaign(expected.known.id, campaignId),
      ),
    );
    return isIntact(slot, epoch, expected, campaigns);
  }

  /** Null: it is too long to be counted. */
  async #readOutbox(advertiserId: string): Promise<ImpressionRecord[] | null> {
    const records = new Map<string, ImpressionRecord>();
    let cursor: string | undefined;
    do {
      const page = await this.#parts.slots.listOutbox(advertiserId, OUTBOX_PAGE, cursor);
      for (const record of page.items) records.set(record.impression_id, record);
      if (records.size > LONGEST_OUTBOX) {
        await this.#announce(advertiserId, { holds: false, outbox: true });
        return null;
      }
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    return [...records.values()];
  }

  /** The due index may be gone, or on another node that has gone back. */
  async #announce(advertiserId: string, has: { holds: boolean; outbox: boolean }): Promise<void> {
    const { due, nowMs } = this.#parts;
    if (has.holds) await due.register("holds", advertiserId, nowMs());
    if (has.outbox) await due.register("outbox", advertiserId, nowMs());
  }

  #leave(advertiserId: string, error: unknown): void {
    const { logger } = this.#parts;
    if (isRedisAway(error)) logger.debug({ advertiserId, err: error }, "a slot cannot be reached");
    else logger.error({ advertiserId, err: error }, "a slot cannot be restored and stays frozen");
  }
}
