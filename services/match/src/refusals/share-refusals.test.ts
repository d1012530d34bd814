import { describe, expect, it } from "@jest/globals";
import { ShareRefusals } from "./share-refusals.ts";

describe("ShareRefusals", () => {
  it("remembers a campaign for 250 ms, for that developer alone", () => {
    const refusals = new ShareRefusals();
    refusals.remember("acct_1", "camp_1", 1_000);
    refusals.remember("acct_1", "camp_2", 1_100);
    expect(refusals.of("acct_1", 1_249)).toEqual(["camp_1", "camp_2"]);
    expect(refusals.of("acct_2", 1_249)).toEqual([]);
    expect(refusals.of("acct_1", 1_250)).toEqual(["camp_2"]);
    expect(refusals.of("acct_1", 1_350)).toEqual([]);
  });

  it("forgets everything when the clock is set back", () => {
    const refusals = new ShareRefusals();
    refusals.remember("acct_1", "camp_1", 1_000_000);
    expect(refusals.of("acct_1", 1_000)).toEqual([]);
  });

  it("keeps a limited number of campaigns and accounts", () => {
    const refusals = new ShareRefusals();
    for (let i = 0; i < 101; i++) refusals.remember("acct_1", `camp_${i}`, 1_000);
    expect(refusals.of("acct_1", 1_001)).toHaveLength(100);
    for (let i = 2; i < 10_003; i++) refusals.remember(`acct_${i}`, "camp_1", 1_000);
    expect(refusals.of("acct_1", 1_001)).toEqual([]);
    expect(refusals.of("acct_10002", 1_001)).toEqual(["camp_1"]);
  });
});
