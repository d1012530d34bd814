import { beforeEach, describe, expect, it } from "@jest/globals";
import { RefusalMemory } from "./refusal-memory.ts";

const campaign = { campaign_id: "camp_1", advertiser_id: "adv_1", version: 3, cpm_bid_cents: 500 };
const sibling = { ...campaign, campaign_id: "camp_2" };

let advertiserVersion: number;
const at = (nowMs: number) => ({ advertiserVersion, nowMs });
let memory: RefusalMemory;
beforeEach(() => {
  advertiserVersion = 1;
  memory = new RefusalMemory(() => advertiserVersion);
});

describe("RefusalMemory", () => {
  it("remembers a lack of budget for 250 ms, for that campaign alone", () => {
    memory.remember(campaign, "budget", at(1_000));
    expect(memory.standing(campaign, 1_249)).toMatchObject({ lacksMoney: true });
    expect(memory.standing(sibling, 1_249)).toBeUndefined();
    expect(memory.standing(campaign, 1_250)).toBeUndefined();
  });

  it("forgets it with a newer version of the campaign", () => {
    memory.remember(campaign, "daily_cap", at(1_000));
    expect(memory.standing({ ...campaign, version: 4 }, 1_001)).toBeUndefined();
  });

  it("remembers an empty balance for all bids of the advertiser that are as high", () => {
    memory.remember(campaign, "balance", at(1_000));
    expect(memory.standing(sibling, 1_001)).toBeDefined();
    expect(memory.standing({ ...sibling, cpm_bid_cents: 499 }, 1_001)).toBeUndefined();
    expect(memory.standing({ ...sibling, advertiser_id: "adv_2" }, 1_001)).toBeUndefined();
    memory.remember({ ...campaign, cpm_bid_cents: 200 }, "balance", at(1_001));
    expect(memory.standing({ ...sibling, cpm_bid_cents: 499 }, 1_002)).toBeDefined();
    memory.remember(campaign, "balance", at(1_002));
    expect(memory.standing({ ...sibling, cpm_bid_cents: 499 }, 1_003)).toBeDefined();
    advertiserVersion = 2;
    expect(memory.standing(sibling, 1_004)).toBeUndefined();
  });

  it("does not remember what is about one request alone, and knows a missing slot from a lack of money", () => {
    memory.remember(campaign, "creative_cap", at(1_000));
    memory.remember(campaign, "not_active", at(1_000));
    expect(memory.standing(campaign, 1_001)).toBeUndefined();
    memory.remember(campaign, "unknown_slot", at(1_000));
    expect(memory.standing(campaign, 1_001)).toMatchObject({ lacksMoney: false });
  });

  it("remembers a refusal for the versions that it was about, not for those that came while it was on its way", () => {
    memory.remember(campaign, "balance", { advertiserVersion: 0, nowMs: 1_000 });
    expect(memory.standing(campaign, 1_001)).toBeUndefined();
    memory.remember(campaign, "balance", { advertiserVersion: 1, nowMs: 1_000 });
    memory.remember(campaign, "balance", { advertiserVersion: 0, nowMs: 1_000 });
    expect(memory.standing(campaign, 1_001)).toBeDefined();
    const next = { ...campaign, campaign_id: "camp_3", version: 4 };
    memory.remember(next, "budget", { advertiserVersion: 1, nowMs: 1_400 });
    memory.remember({ ...next, version: 3 }, "budget", { advertiserVersion: 1, nowMs: 1_400 });
    expect(memory.standing(next, 1_401)).toBeDefined();
  });

  it("keeps a limited number of them", () => {
    for (let i = 0; i < 10_001; i++)
      memory.remember({ ...campaign, campaign_id: `c${i}` }, "budget", at(1_000));
    expect(memory.standing({ ...campaign, campaign_id: "c0" }, 1_001)).toBeUndefined();
    expect(memory.standing({ ...campaign, campaign_id: "c10000" }, 1_001)).toBeDefined();
  });
});
