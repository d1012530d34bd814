import { describe, expect, it } from "@jest/globals";
import { isInTieBand, rankOf } from "./rank.ts";

describe("rank", () => {
  it("is cpm_bid_cents × (1 + affinity_score)", () => {
    expect(rankOf(1000, 0)).toBe(1000);
    expect(rankOf(1000, 1.5)).toBe(2500);
    expect(rankOf(100, 0.1)).toBe(110);
  });

  it("ties within 1 % of the highest, the edge included", () => {
    for (let highest = 100; highest <= 10_000; highest += 100) {
      expect(isInTieBand((highest / 100) * 99, highest)).toBe(true);
      expect(isInTieBand((highest / 100) * 99 - 0.001, highest)).toBe(false);
    }
    expect(isInTieBand(rankOf(110, 0.8), rankOf(100, 1))).toBe(true);
    expect(isInTieBand(rankOf(109, 0.8), rankOf(100, 1))).toBe(false);
    expect(isInTieBand(rankOf(99, 0.1), rankOf(100, 0.1))).toBe(true);
  });
});
