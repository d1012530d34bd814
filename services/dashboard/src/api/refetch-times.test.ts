import { describe, expect, it } from "@jest/globals";
import { FIGURES_REFETCH_MS, listRefetchMs, PAGE_ROWS } from "./refetch-times.ts";

describe("listRefetchMs", () => {
  it.each([
    [0, 1],
    [PAGE_ROWS, 1],
    [PAGE_ROWS + 1, 2],
    [100 * PAGE_ROWS, 100],
  ])("waits for a list of %s rows as long as for %s pages", (rows, pages) => {
    expect(listRefetchMs(rows)).toBe(pages * FIGURES_REFETCH_MS);
  });
});
