import type { ImpressionRecord } from "@diegetic/contracts";
import { createLogger } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { ImpressionBatcher } from "./impression-batcher.ts";

function record(id: number): ImpressionRecord {
  return {
    impression_id: `imp_${id}`,
    creative_id: "crt_1",
    recorded_at_ms: 0,
    match: {} as ImpressionRecord["match"],
  };
}

let jobs: string[][];
let outcomes: Record<string, number>;
let queue: () => Promise<void>;
let batcher: ImpressionBatcher;
beforeEach(() => {
  jobs = [];
  outcomes = {};
  queue = async () => {};
  batcher = new ImpressionBatcher({
    producer: {
      add: (records) => {
        jobs.push(records.map(({ impression_id }) => impression_id));
        return queue();
      },
    },
    logger: createLogger({ service: "test", instance: "test", level: "silent" }),
    count: (outcome, records) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + records;
    },
  });
});

describe("ImpressionBatcher", () => {
  it("collects for 25 ms", async () => {
    for (let i = 0; i < 3; i++) batcher.add(record(i));
    expect(jobs).toEqual([]);
    await eventually(() => jobs.length > 0);
    expect(jobs).toEqual([["imp_0", "imp_1", "imp_2"]]);
  });

  it("sends 500 at once, and the rest at the flush", async () => {
    for (let i = 0; i < 501; i++) batcher.add(record(i));
    expect(jobs.map((job) => job.length)).toEqual([500]);
    await batcher.flush();
    expect(jobs.map((job) => job.length)).toEqual([500, 1]);
    expect(outcomes).toEqual({ queued: 501 });
  });

  it("sends at most four jobs at a time, keeps a limited number and counts the rest", async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    queue = () => held;
    for (let i = 0; i < 25_000; i++) batcher.add(record(i));
    expect(jobs).toHaveLength(4);
    expect(outcomes).toEqual({ dropped: 3_000 });
    release();
    await batcher.flush();
    expect(outcomes).toEqual({ dropped: 3_000, queued: 22_000 });
  });

  it("leaves impressions that cannot be queued to the outbox", async () => {
    queue = () => Promise.reject(new Error("Connection is closed."));
    batcher.add(record(1));
    await batcher.flush();
    expect(outcomes).toEqual({ failed: 1 });
  });
});
