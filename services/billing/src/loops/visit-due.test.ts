import { connectRedis, DueIndex } from "@diegetic/hot-state";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { visitDue } from "./visit-due.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

describe("a failed visit", () => {
  it("returns its own error also when its next visit cannot be stored", async () => {
    const connection = connectTestRedis(redis.url);
    const cutOff = connectRedis(redis.url, { name: "cut off" });
    cutOff.disconnect();
    const due = new DueIndex(connection);
    await due.register("holds", "adv_1", 1_000);
    const unavailable = new DueIndex(cutOff);
    const visits = {
      due: {
        due: (...given: Parameters<DueIndex["due"]>) => due.due(...given),
        reschedule: (...given: Parameters<DueIndex["reschedule"]>) => unavailable.reschedule(...given),
      },
      kind: "holds" as const,
      nowMs: Date.now,
      maxConcurrent: 1,
      pauseAfterFailureMs: 1_000,
    };
    const failures = await visitDue(visits, new AbortController().signal, () =>
      Promise.reject(new RangeError("its own")),
    );
    expect(failures).toEqual([new RangeError("its own")]);
    expect(await due.due("holds", Date.now(), 10)).toEqual([{ walletId: "adv_1", dueMs: 1_000 }]);
    connection.disconnect();
  });
});
