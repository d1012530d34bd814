import type { ImpressionRecord } from "@diegetic/contracts";

/** Writes records in batches with others; settles when they are written. */
export interface WriterPartition {
  add(records: readonly ImpressionRecord[]): Promise<void>;
}

/** The partition of an advertiser while some of its records are in progress. */
interface Assignment {
  writerPartition: number;
  records: number;
}

/** Batches written concurrently, for different advertisers. */
export const WRITER_PARTITIONS = 2;
/** Smaller jobs are not worth two transactions when all partitions are idle. */
const MIN_RECORDS_TO_DIVIDE = 100;

/**
 * Divides jobs among writer partitions that write concurrently. An advertiser keeps its partition while its records are
 * in progress, because the writer locks its row; a new one goes to the partition with the shortest queue. A small job
 * stays whole when all partitions are idle. This only improves speed: any two processes may write the same advertiser's
 * records.
 */
export class WriterPartitions implements WriterPartition {
  readonly #writerPartitions: readonly WriterPartition[];
  readonly #waiting: number[];
  readonly #assignments = new Map<string, Assignment>();

  constructor(writerPartitions: readonly WriterPartition[]) {
    this.#writerPartitions = writerPartitions;
    this.#waiting = writerPartitions.map(() => 0);
  }

  /** Rejects when a partition failed, but only after the others are done: then the job may be delivered again. */
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

  /** Returns the records of each partition. */
  #divide(records: readonly ImpressionRecord[]): ImpressionRecord[][] {
    const parts: ImpressionRecord[][] = this.#writerPartitions.map(() => []);
    const isIdle = this.#waiting.every((count) => count === 0);
    const together = isIdle && records.length < MIN_RECORDS_TO_DIVIDE ? 0 : undefined;
    for (const record of records) {
      const name = advertiserOf(record);
      const assignment = this.#assignments.get(name) ?? {
        writerPartition: together ?? this.#leastWaiting(),
        records: 0,
      };
      assignment.records += 1;
      this.#assignments.set(name, assignment);
      parts[assignment.writerPartition]?.push(record);
      this.#waiting[assignment.writerPartition] = (this.#waiting[assignment.writerPartition] ?? 0) + 1;
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
      const assignment = this.#assignments.get(name);
      if (assignment === undefined) continue;
      assignment.records -= 1;
      if (assignment.records === 0) this.#assignments.delete(name);
    }
  }
}

/** Empty for a damaged record. */
function advertiserOf(record: ImpressionRecord): string {
  return String(record.match?.advertiser_id ?? "");
}
