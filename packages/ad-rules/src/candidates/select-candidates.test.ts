import { describe, expect, it } from "@jest/globals";
import { affinities, campaign, creative, placement } from "../../tests/builders.ts";
import { CampaignIndex } from "../matching-index/campaign-index.ts";
import type { Campaign } from "../types/campaign.ts";
import { type SelectionRequest, selectCandidates } from "./select-candidates.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const request = (fields: Partial<SelectionRequest> = {}): SelectionRequest => ({
  placement: placement(),
  context: {},
  nowMs,
  limit: 8,
  ...fields,
});

function indexOf(campaigns: Campaign[]): CampaignIndex {
  const index = new CampaignIndex();
  for (const one of campaigns) index.upsert(one);
  return index;
}

const idsOf = (index: CampaignIndex, selection: SelectionRequest) =>
  selectCandidates(index, selection).candidates.map((one) => one.campaign.campaign_id);

describe("candidates", () => {
  it("carry their allowed creatives, score, contributing affinities and rank", () => {
    const own = campaign({
      cpm_bid_cents: 200,
      creatives: [creative({ creative_type: "location_brand" }), creative({ creative_id: "crt_2" })],
      affinities: affinities(["mood", "tense", 2], ["mood", "calm", 1], ["action", "run", 1]),
    });
    const selection = selectCandidates(
      indexOf([own]),
      request({
        placement: placement({ placement_types: ["narrative_hook"] }),
        context: { mood_tags: ["TENSE"], narrative: "run, run" },
      }),
    );
    expect(selection).toEqual({
      noneActive: false,
      allSkipped: false,
      highestRank: 700,
      candidates: [
        {
          campaign: own,
          creatives: [own.creatives[1]],
          affinityScore: 2.5,
          affinityParts: [
            { affinity_id: "aff_0", affinity_type: "mood", affinity_value: "tense", contribution: 2 },
            { affinity_id: "aff_2", affinity_type: "action", affinity_value: "run", contribution: 0.5 },
          ],
          rank: 700,
        },
      ],
    });
  });

  it("are none when no campaign is active at all, which is told apart from none eligible", () => {
    expect(selectCandidates(indexOf([]), request())).toEqual({
      candidates: [],
      noneActive: true,
      allSkipped: false,
      highestRank: null,
    });
    const paused = [campaign({ status: "paused" }), campaign({ campaign_id: "camp_2", status: "draft" })];
    expect(selectCandidates(indexOf(paused), request()).noneActive).toBe(true);
    const ended = campaign({ end_date: "2026-02-28" });
    expect(selectCandidates(indexOf([ended]), request())).toEqual({
      candidates: [],
      noneActive: false,
      allSkipped: false,
      highestRank: null,
    });
  });

  it("leave out what the caller skips, and say so when nothing else was eligible", () => {
    const index = indexOf([campaign(), campaign({ campaign_id: "camp_2" })]);
    const skip = (one: Campaign) => one.campaign_id === "camp_1";
    expect(selectCandidates(index, request({ skip }))).toMatchObject({
      candidates: [{ campaign: { campaign_id: "camp_2" } }],
      allSkipped: false,
    });
    expect(selectCandidates(index, request({ skip: () => true }))).toMatchObject({
      candidates: [],
      highestRank: null,
      allSkipped: true,
    });
    const ineligible = indexOf([campaign({ end_date: "2026-02-28" })]);
    expect(selectCandidates(ineligible, request({ skip })).allSkipped).toBe(false);
  });

  it("are as many as the limit, and those that tie with the last", () => {
    const bids = [1000, 900, 800, 795, 792, 791, 700];
    const index = indexOf(
      bids.map((cpm_bid_cents) => campaign({ campaign_id: `camp_${cpm_bid_cents}`, cpm_bid_cents })),
    );
    expect(idsOf(index, request({ limit: 1 }))).toEqual(["camp_1000"]);
    expect(idsOf(index, request({ limit: 3 }))).toEqual([
      "camp_1000",
      "camp_900",
      "camp_800",
      "camp_795",
      "camp_792",
    ]);
    expect(idsOf(index, request({ limit: 8 }))).toHaveLength(bids.length);
    expect(() => selectCandidates(index, request({ limit: 0 }))).toThrow(RangeError);
  });
});
