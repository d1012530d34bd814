import { expect, it } from "@jest/globals";
import { LineLimit } from "./line-limit.ts";

it("lets one line of a kind through in ten seconds, which counts those that were left out", () => {
  let nowMs = 5_000;
  const lines = new LineLimit(() => nowMs);
  expect([lines.take("away"), lines.take("away"), lines.take("away")]).toEqual([1, 0, 0]);
  nowMs += 9_999;
  expect(lines.take("away")).toBe(0);
  expect(lines.take("defect")).toBe(1);
  nowMs += 1;
  expect([lines.take("away"), lines.take("away"), lines.take("defect")]).toEqual([4, 0, 0]);
});

it("lets few lines through of kinds without end", () => {
  const lines = new LineLimit(() => 0);
  const told = Array.from({ length: 1_000 }, (_, kind) => lines.take(`kind ${kind}`));
  expect(told.filter((count) => count > 0)).toHaveLength(101);
});
