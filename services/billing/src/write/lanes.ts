import type { ImpressionRecord } from "@diegetic/contracts";

/** Writes records sooner or later, with others; settles when they are written. */
export interface Lane {
  add(records: readonly ImpressionRecord[]): Promise<void>;
}

/** Where an advertiser's records go as long as some of them are on their way. */
interface Place {
  lane: number;
  records: number;
}

/** Fewer are not worth two transactions while nothing else is under way. */
const LEAST_TO_DIVIDE = 100;

/**
 * Divides jobs among lanes that write at the same time. An advertiser stays in his lane while records of his are under way,
 * because whoever writes holds his row; one who is new goes where least waits. A small job that meets idle lanes stays whole.
 * That is for speed alone: two lanes could write the same advertiser's records as two processes may.
 */
export class Lanes implements Lane {
  readonly #lanes: readonly Lane[];
  readonly #waiting: number[];
  readonly #places = new Map<string, Place>();

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
    this.#waiting = lanes.map(() => 0);
  }

  /** Rejects when one lane could not write its part, but not before the others are done: then the job may come again. */
  async add(records: readonly ImpressionRecord[]): Promise<void> {
    const parts = this.#divide(records);
    const added = this.#lanes.map(async (lane, number) => {
      const part = parts[number];
      if (part === undefined || part.length === 0) return;
      try {
        await lane.add(part);
      } finally {
        this.#release(part, number);
      }
    });
    const failed = (await Promise.allSettled(added)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** What each lane gets. */
  #divide(records: readonly ImpressionRecord[]): ImpressionRecord[][] {
    const parts: ImpressionRecord[][] = this.#lanes.map(() => []);
    const isIdle = this.#waiting.every((count) => count === 0);
    const together = isIdle && records.length < LEAST_TO_DIVIDE ? 0 : undefined;
    for (const record of records) {
      const name = advertiserOf(record);
      const place = this.#places.get(name) ?? { lane: together ?? this.#leastWaiting(), records: 0 };
      place.records += 1;
      this.#places.set(name, place);
      parts[place.lane]?.push(record);
      this.#waiting[place.lane] = (this.#waiting[place.lane] ?? 0) + 1;
    }
    return parts;
  }

  #leastWaiting(): number {
    return this.#waiting.indexOf(Math.min(...this.#waiting));
  }

  #release(records: readonly ImpressionRecord[], lane: number): void {
    this.#waiting[lane] = (this.#waiting[lane] ?? 0) - records.length;
    for (const record of records) {
      const name = advertiserOf(record);
      const place = this.#places.get(name);
      if (place === undefined) continue;
      place.records -= 1;
      if (place.records === 0) this.#places.delete(name);
    }
  }
}

/** A damaged record may have none. */
function advertiserOf(record: ImpressionRecord): string {
  return String(record.match?.advertiser_id ?? "");
}
