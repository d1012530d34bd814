import { describe, expect, it } from "@jest/globals";
import { pauseAfterFailuresMs } from "./repeating-task.ts";

describe("pauseAfterFailuresMs", () => {
  it.each([
    [100, [200, 400, 800, 1_600, 3_200, 5_000, 5_000]],
    [5_000, [5_000, 5_000]],
    [60_000, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]],
  ])("lets a task of every %d ms wait longer after each failure", (everyMs, pausesMs) => {
    expect(pausesMs.map((_, index) => pauseAfterFailuresMs(everyMs, index + 1))).toEqual(pausesMs);
  });
});
