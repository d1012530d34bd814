import type { ImpressionRecord } from "@diegetic/contracts";

/** Writes records sooner or later, with others; settles when they are written. */
export interface WriterPartition {
  add(records: readonly ImpressionRecord[]): Promise<void>;
}

/** Where an advertiser's records go as long as some of them are on their way. */
interface Place {
  writerPartition: number;
  records: number;
}

/** Fewer are not worth two transactions while nothing else is under way. */
const LEAST_TO_DIVIDE = 100;

/**
 * Divides jobs among writer partitions that write at the same time. An advertiser stays in his writer partition while records of his are under way,
 * because whoever writes holds his row; one who is new goes where least waits. A small job that meets idle writer partitions stays whole.
 * That is for speed alone: two writer partitions could write the same advertiser's records as two processes may.
 */
export class WriterPartitions implements WriterPartition {
  readonly #writerPartitions: readonly WriterPartition[];
  readonly #waiting: number[];
  readonly #places = new Map<string, Place>();

  constructor(writerPartitions: readonly WriterPartition[]) {
    this.#writerPartitions = writerPartitions;
    this.#waiting = writerPartitions.map(() => 0);
  }

  /** Rejects when one writer partition could not write its part, but not before the others are done: then the job may come again. */
  async add(records: readonly ImpressionRecord[]): Promise<void> {
    const parts = this.#divide(records);
    const added = this.#writerPartitions.map(async (writerPartition, number) => {
      const part = parts[number];
      if (part === undefined || part.length === 0) return;
      try {
        await writerPartition.add(part);
      } finally {
        this.#release(part, number);
      }
    });
    const failed = (await Promise.allSettled(added)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** What each writer partition gets. */
  #divide(records: readonly ImpressionRecord[]): ImpressionRecord[][] {
    const parts: ImpressionRecord[][] = this.#writerPartitions.map(() => []);
    const isIdle = this.#waiting.every((count) => count === 0);
    const together = isIdle && records.length < LEAST_TO_DIVIDE ? 0 : undefined;
    for (const record of records) {
      const name = advertiserOf(record);
      const place = this.#places.get(name) ?? {
        writerPartition: together ?? this.#leastWaiting(),
        records: 0,
      };
      place.records += 1;
      this.#places.set(name, place);
      parts[place.writerPartition]?.push(record);
      this.#waiting[place.writerPartition] = (this.#waiting[place.writerPartition] ?? 0) + 1;
    }
    return parts;
  }

  #leastWaiting(): number {
    return this.#waiting.indexOf(Math.min(...this.#waiting));
  }

  #release(records: readonly ImpressionRecord[], writerPartition: number): void {
    this.#waiting[writerPartition] = (this.#waiting[writerPartition] ?? 0) - records.length;
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
