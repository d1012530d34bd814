import type { ImpressionRecord } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type WriterPartition, WriterPartitions } from "./writer-partitions.ts";

/** Takes records until their write is reported as ended. */
class OpenPartition implements WriterPartition {
  readonly given: (readonly ImpressionRecord[])[] = [];
  readonly #open: { records: readonly ImpressionRecord[]; end: (error?: Error) => void }[] = [];

  add(records: readonly ImpressionRecord[]): Promise<void> {
    this.given.push(records);
    return new Promise((resolve, reject) =>
      this.#open.push({ records, end: (error) => (error ? reject(error) : resolve()) }),
    );
  }

  /** Ends what was taken first. */
  end(error?: Error): void {
    this.#open.shift()?.end(error);
  }

  /** Whose records are under way. */
  get writing(): Set<string> {
    return new Set(this.#open.flatMap(({ records }) => records.map(({ match }) => match.advertiser_id)));
  }

  get advertisers(): Set<string> {
    return new Set(this.given.flat().map(({ match }) => match.advertiser_id));
  }
}

const record = (advertiserId: string, id = 0) =>
  ({ impression_id: `imp_${id}`, match: { advertiser_id: advertiserId } }) as ImpressionRecord;

/** `count` records of each advertiser. */
const jobOf = (count: number, ...advertisers: string[]) =>
  Array.from({ length: count }, (_, n) => advertisers.map((name) => record(name, n))).flat();

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function open(): { first: OpenPartition; second: OpenPartition; writerPartitions: WriterPartitions } {
  const [first, second] = [new OpenPartition(), new OpenPartition()];
  return { first, second, writerPartitions: new WriterPartitions([first, second]) };
}

describe("WriterPartitions", () => {
  it("divides a large job by advertisers", () => {
    const { first, second, writerPartitions } = open();
    void writerPartitions.add(jobOf(50, "a", "b", "c", "d"));
    expect([first.given.flat(), second.given.flat()].map(({ length }) => length)).toEqual([100, 100]);
    expect([...first.advertisers].filter((name) => second.advertisers.has(name))).toEqual([]);
  });

  it("leaves a small job whole while nothing is under way", async () => {
    const { first, second, writerPartitions } = open();
    for (const count of [10, 20]) {
      void writerPartitions.add(jobOf(count, "a", "b"));
      first.end();
      await settled();
    }
    expect([first.given.flat().length, second.given.length]).toEqual([60, 0]);
  });

  it("divides a small job while writes are in progress: every advertiser keeps its writer partition", () => {
    const { first, second, writerPartitions } = open();
    void writerPartitions.add(jobOf(10, "a", "b"));
    void writerPartitions.add(jobOf(5, "a", "c"));
    expect([...first.advertisers, ...second.advertisers]).toEqual(["a", "b", "c"]);
    expect([first.given.flat().length, second.given.flat().length]).toEqual([25, 5]);
  });

  it("keeps an advertiser in its writer partition only while its records are in progress", async () => {
    const { first, second, writerPartitions } = open();
    void writerPartitions.add(jobOf(100, "a"));
    void writerPartitions.add(jobOf(100, "a", "b"));
    expect([...first.advertisers]).toEqual(["a"]);
    expect([...second.advertisers]).toEqual(["b"]);
    first.end();
    first.end();
    await settled();
    void writerPartitions.add(jobOf(60, "b", "a"));
    expect([...first.advertisers, ...second.advertisers]).toEqual(["a", "b"]);
    second.end();
    second.end();
    first.end();
    await settled();
    void writerPartitions.add(jobOf(100, "b"));
    expect([...first.advertisers]).toEqual(["a", "b"]);
  });

  it("has written a job when every writerPartition has written its part", async () => {
    const { first, second, writerPartitions } = open();
    let isDone = false;
    const done = writerPartitions.add(jobOf(100, "a", "b")).then(() => {
      isDone = true;
    });
    first.end();
    await settled();
    expect(isDone).toBe(false);
    second.end();
    await done;
  });

  it("rejects with a failure after the other writer partitions are done", async () => {
    const { first, second, writerPartitions } = open();
    let message = "";
    const failed = writerPartitions.add(jobOf(100, "a", "b")).catch((error: Error) => {
      message = error.message;
    });
    first.end(new Error("unavailable"));
    await settled();
    expect(message).toBe("");
    second.end();
    await failed;
    expect(message).toBe("unavailable");
  });

  it("takes a record without an advertiser for one", () => {
    const { first, second, writerPartitions } = open();
    void writerPartitions.add([{ impression_id: "imp_1" } as ImpressionRecord]);
    expect(first.given.flat().length + second.given.flat().length).toBe(1);
  });

  it("never has an advertiser in two writerPartitions, whatever comes and however it ends", async () => {
    const names = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { minLength: 1, maxLength: 4 });
    const step = fc.oneof(
      { arbitrary: fc.tuple(fc.constantFrom(1, 3, 40), names), weight: 3 },
      { arbitrary: fc.record({ writerPartition: fc.nat(1), fails: fc.boolean() }), weight: 2 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { first, second, writerPartitions } = open();
        for (const one of steps) {
          if (Array.isArray(one)) writerPartitions.add(jobOf(one[0], ...one[1])).catch(() => undefined);
          else
            (one.writerPartition === 0 ? first : second).end(
              one.fails ? new Error("unavailable") : undefined,
            );
          expect([...first.writing].filter((name) => second.writing.has(name))).toEqual([]);
          if (!Array.isArray(one)) await settled();
        }
      }),
    );
  });

  it("gives every record to one writerPartition, in the order of its advertiser", () => {
    const job = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 300 });
    fc.assert(
      fc.property(fc.array(job, { maxLength: 4 }), (jobs) => {
        const { first, second, writerPartitions } = open();
        const records = jobs.map((names, n) => names.map((name, m) => record(name, 1_000 * n + m)));
        for (const one of records) void writerPartitions.add(one);
        const given = [...first.given, ...second.given].flat();
        const ids = (of: readonly ImpressionRecord[]) => of.map(({ impression_id }) => impression_id);
        expect(ids(given).sort()).toEqual(ids(records.flat()).sort());
        for (const part of [...first.given, ...second.given]) {
          const source = records.find((one) => one.includes(part[0] as ImpressionRecord)) ?? [];
          expect(ids(part)).toEqual(ids(source.filter((one) => part.includes(one))));
        }
      }),
    );
  });
});
