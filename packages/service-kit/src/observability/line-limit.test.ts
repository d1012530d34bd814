import { expect, it } from "@jest/globals";
import { LineLimit } from "./line-limit.ts";

it("lets one line through in ten seconds, which counts those that were left out", () => {
  let nowMs = 5_000;
  const lines = new LineLimit(() => nowMs);
  expect([lines.take(), lines.take(), lines.take()]).toEqual([1, 0, 0]);
  nowMs += 9_999;
  expect(lines.take()).toBe(0);
  nowMs += 1;
  expect([lines.take(), lines.take()]).toEqual([4, 0]);
});
