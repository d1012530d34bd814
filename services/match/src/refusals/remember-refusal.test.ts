import { CampaignIndex, type MatchScene } from "@diegetic/ad-rules";
import type { ReserveRefusal } from "@diegetic/hot-state";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { campaign as anyCampaign } from "../../../../packages/ad-rules/tests/builders.ts";
import { rememberRefusal } from "./remember-refusal.ts";

const campaign = anyCampaign({ version: 3, cpm_bid_cents: 500 });
const sibling = { ...campaign, campaign_id: "camp_2" };
const scene = (nowMs: number): MatchScene => ({
  placement: {
    game_id: "game",
    is_active: true,
    placement_types: ["narrative_hook"],
    blocked_advertisers: [],
    blocked_categories: [],
  },
  context: {},
  geo: null,
  nowMs,
});

let advertiserVersion: number;
const at = (nowMs: number) => ({ advertiserVersion, nowMs });
let index: CampaignIndex;
beforeEach(() => {
  advertiserVersion = 1;
  index = new CampaignIndex();
});

type Remembered = Parameters<typeof rememberRefusal>;
function remember(campaign: Remembered[1], refusal: Remembered[2], known: Remembered[3]): void {
  rememberRefusal({ index, advertiserVersion: () => advertiserVersion }, campaign, refusal, known);
}

const passing = (reason: ReserveRefusal) => ({ reason, lasts: null });
const drawn = (nowMs: number) => index.draw(scene(nowMs), () => 0);
/** Whether the index skips the campaign, which is alone in it with the refused one. */
function standing(one: typeof campaign, nowMs: number): boolean {
  return !index.ties(scene(nowMs)).some((tie) => tie.campaign.campaign_id === one.campaign_id);
}

describe("rememberRefusal", () => {
  it("remembers a lack of budget for 250 ms, for that campaign alone", () => {
    index.upsert(campaign);
    index.upsert(sibling);
    remember(campaign, passing("budget"), at(1_000));
    expect(standing(campaign, 1_249)).toBe(true);
    expect(standing(sibling, 1_249)).toBe(false);
    expect(standing(campaign, 1_250)).toBe(false);
  });

  it("reports lack of money when there is no other candidate", () => {
    index.upsert(campaign);
    remember(campaign, passing("daily_cap"), at(1_000));
    expect(drawn(1_001)).toMatchObject({ candidate: null, lackedMoney: true, passedOver: true });
  });

  it("forgets it with a newer version of the campaign", () => {
    index.upsert(campaign);
    remember(campaign, passing("daily_cap"), at(1_000));
    index.upsert({ ...campaign, version: 4 });
    expect(standing(campaign, 1_001)).toBe(false);
    remember(campaign, passing("daily_cap"), at(1_002));
    expect(standing(campaign, 1_003)).toBe(false);
  });

  it("remembers an empty balance for all bids of the advertiser that are as high", () => {
    const lower = { ...campaign, campaign_id: "camp_3", cpm_bid_cents: 498 };
    const stranger = { ...campaign, campaign_id: "camp_4", advertiser_id: "adv_2" };
    for (const one of [campaign, sibling, lower]) index.upsert(one);
    remember(campaign, passing("balance"), at(1_000));
    expect(drawn(1_001).candidate?.campaign).toEqual(lower);
    remember(lower, passing("balance"), at(1_001));
    remember(campaign, passing("balance"), at(1_002));
    expect(drawn(1_003)).toMatchObject({ candidate: null, lackedMoney: true, passedOver: true });
    index.upsert(stranger);
    expect(drawn(1_003).candidate?.campaign).toEqual(stranger);
    expect(drawn(1_252).candidate).not.toBeNull();
    remember(campaign, passing("balance"), at(2_000));
    index.readmitAdvertiser("adv_1");
    expect(standing(sibling, 2_001)).toBe(false);
  });

  it("forgets refusals of a single request, and distinguishes a missing wallet from lack of money", () => {
    index.upsert(campaign);
    remember(campaign, passing("creative_cap"), at(1_000));
    remember(campaign, passing("not_active"), at(1_000));
    expect(standing(campaign, 1_001)).toBe(false);
    remember(campaign, passing("unknown_wallet"), at(1_000));
    expect(drawn(1_001)).toMatchObject({ candidate: null, lackedMoney: false, passedOver: true });
  });

  it("remembers a campaign that is behind in Redis for a moment, and not for a lack of money", () => {
    index.upsert(campaign);
    remember(campaign, passing("behind"), at(1_000));
    expect(drawn(1_249)).toMatchObject({ candidate: null, lackedMoney: false, passedOver: true });
    expect(standing(campaign, 1_250)).toBe(false);
  });

  it("remembers an empty balance for a moment only while the account in Redis is behind the one known here", () => {
    index.upsert(campaign);
    const refusal = { reason: "balance" as const, lasts: { accountVersion: 1 } };
    remember(campaign, refusal, at(1_000));
    expect(standing(campaign, 1_250)).toBe(true);
    index.readmitAdvertiser("adv_1");
    advertiserVersion = 2;
    remember(campaign, refusal, at(2_000));
    expect(standing(campaign, 2_001)).toBe(true);
    expect(standing(campaign, 2_250)).toBe(false);
  });

  it("does not let a refusal override a deposit that arrived meanwhile", () => {
    index.upsert(campaign);
    remember(campaign, passing("balance"), { advertiserVersion: 0, nowMs: 1_000 });
    expect(standing(campaign, 1_001)).toBe(false);
  });

  it("remembers what is spent until a newer version, the cap until the day ends, and neither longer than an hour", () => {
    const refuse = (reason: ReserveRefusal, lasts: "version" | number, nowMs: number) =>
      remember(campaign, { reason, lasts }, at(nowMs));
    index.upsert(campaign);
    refuse("daily_cap", 60_000, 1_000);
    expect(drawn(60_999)).toMatchObject({ candidate: null, lackedMoney: true, passedOver: true });
    expect(standing(campaign, 61_000)).toBe(false);
    refuse("budget", "version", 100_000);
    for (const nowMs of [100_001, 3_699_999]) expect(standing(campaign, nowMs)).toBe(true);
    expect(standing(campaign, 3_700_000)).toBe(false);
    refuse("budget", "version", 4_000_000);
    expect(standing(campaign, 4_000_001)).toBe(true);
    index.upsert({ ...campaign, version: 4 });
    expect(standing(campaign, 4_000_002)).toBe(false);
  });

  it("excludes very many campaigns of an advertiser by one refusal, and readmits all of them", () => {
    const many = 500;
    for (let n = 0; n < many; n++) index.upsert({ ...campaign, campaign_id: `c${n}` });
    remember(campaign, { reason: "balance", lasts: { accountVersion: 1 } }, at(1_000));
    for (let n = 0; n < many; n++) {
      expect(drawn(1_001)).toMatchObject({ candidate: null, lackedMoney: true, passedOver: true });
    }
    index.readmitAdvertiser("adv_1");
    expect(drawn(1_002).candidate).not.toBeNull();
    while (index.tidy(1_002));
    expect(index.ties(scene(1_002))).toHaveLength(many);
  });

  it("keeps a limited number of them", () => {
    for (let n = 0; n < 10_001; n++) {
      const one = { ...campaign, campaign_id: `c${n}` };
      index.upsert(one);
      remember(one, passing("budget"), at(1_000));
    }
    expect(drawn(1_001).candidate?.campaign.campaign_id).toBe("c0");
  });
});
