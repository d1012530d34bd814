import { expect, it } from "@jest/globals";
import { chunks } from "./chunks.ts";

it("divides items into lists of at most a size, in their order", () => {
  expect([...chunks([], 2)]).toEqual([]);
  expect([...chunks([1, 2, 3, 4], 2)]).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect([...chunks([1, 2, 3], 2)]).toEqual([[1, 2], [3]]);
});
