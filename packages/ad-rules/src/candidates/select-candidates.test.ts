import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { affinities, campaign, creative, geoTarget, placement } from "../../tests/builders.ts";
import { isInTieBand, rankOf } from "../ranking/rank.ts";
import { isEligible } from "../rules/eligibility.ts";
import { affinityScore } from "../scoring/affinity-score.ts";
import type { Campaign } from "../types/campaign.ts";
import { CampaignIndex } from "./campaign-index.ts";
import { compileCampaign } from "./compiled-campaign.ts";
import { prepareRequest } from "./prepared-request.ts";
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
      anySkipped: false,
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
      anySkipped: false,
    });
    const paused = [campaign({ status: "paused" }), campaign({ campaign_id: "camp_2", status: "draft" })];
    expect(selectCandidates(indexOf(paused), request()).noneActive).toBe(true);
    const ended = campaign({ end_date: "2026-02-28" });
    expect(selectCandidates(indexOf([ended]), request())).toEqual({
      candidates: [],
      noneActive: false,
      anySkipped: false,
    });
  });

  it("leave out what the caller skips, and say so when it was eligible", () => {
    const index = indexOf([campaign(), campaign({ campaign_id: "camp_2" })]);
    const skip = (one: Campaign) => one.campaign_id === "camp_1";
    expect(selectCandidates(index, request({ skip }))).toMatchObject({
      candidates: [{ campaign: { campaign_id: "camp_2" } }],
      anySkipped: true,
    });
    const ineligible = indexOf([campaign({ end_date: "2026-02-28" })]);
    expect(selectCandidates(ineligible, request({ skip })).anySkipped).toBe(false);
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

const words = fc.constantFrom("tense", "rain", "noir", "docks", "rpg");
const affinityList = fc.array(
  fc.tuple(
    fc.constantFrom("mood" as const, "effects" as const, "theme" as const, "category" as const),
    words,
    fc.constantFrom(0.1, 0.5, 1, 2.5, 3),
  ),
  { maxLength: 4 },
);
const anyCampaign: fc.Arbitrary<Campaign> = fc
  .record({
    campaign_id: fc.integer({ min: 0, max: 40 }).map((n) => `camp_${n}`),
    advertiser_id: fc.constantFrom("adv_1", "adv_2"),
    status: fc.constantFrom("active" as const, "active" as const, "active" as const, "paused" as const),
    cpm_bid_cents: fc.oneof(fc.constantFrom(1000, 995, 990), fc.integer({ min: 100, max: 1200 })),
    end_date: fc.constantFrom(null, null, "2026-03-01", "2026-02-28"),
    target_categories: fc.constantFrom<string[]>([], [], ["rpg"]),
    target_tags: fc.constantFrom<string[]>([], [], ["rain", "docks"]),
    country: fc.constantFrom(null, null, "US", "FR"),
    blocked: fc.option(words, { freq: 4 }),
    affinities: affinityList,
  })
  .map(({ country, blocked, affinities: list, ...fields }) =>
    campaign({
      ...fields,
      geo_targets: country === null ? [] : [geoTarget({ target_type: "country", country_code: country })],
      blocklist: blocked === null ? [] : [{ rule_type: "keyword", value: blocked }],
      affinities: affinities(...list),
    }),
  );
const anyRequest = fc
  .record({
    context: fc.record({
      category: fc.option(words),
      narrative: fc.option(fc.array(words, { maxLength: 3 }).map((list) => list.join(" "))),
      mood_tags: fc.array(words, { maxLength: 2 }),
      theme_id: fc.option(words),
    }),
    geo: fc.constantFrom(null, { country_code: "US" }),
    blocked_advertisers: fc.constantFrom<string[]>([], ["adv_2"]),
    limit: fc.integer({ min: 1, max: 10 }),
  })
  .map(({ blocked_advertisers, ...fields }) =>
    request({ ...fields, placement: placement({ blocked_advertisers }) }),
  );

/** Every rule over every campaign, without an index. */
function naively(campaigns: Iterable<Campaign>, selection: SelectionRequest) {
  const prepared = prepareRequest(selection);
  const ranked = [...campaigns]
    .map(compileCampaign)
    .filter((one) => isEligible(one, prepared))
    .map((one) => ({
      id: one.source.campaign_id,
      rank: rankOf(one.source.cpm_bid_cents, affinityScore(one.affinities, prepared.context)),
    }))
    .sort((left, right) => right.rank - left.rank || (left.id < right.id ? -1 : 1));
  const last = ranked[selection.limit - 1];
  return last === undefined ? ranked : ranked.filter((one) => isInTieBand(one.rank, last.rank));
}

const seen = (index: CampaignIndex, selection: SelectionRequest) =>
  selectCandidates(index, selection).candidates.map((one) => ({
    id: one.campaign.campaign_id,
    rank: one.rank,
  }));

describe("campaign index", () => {
  it("selects what a loop over all campaigns selects, with the same ranks", () => {
    fc.assert(
      fc.property(fc.array(anyCampaign, { maxLength: 60 }), anyRequest, (campaigns, selection) => {
        const last = new Map(campaigns.map((one) => [one.campaign_id, one]));
        expect(seen(indexOf(campaigns), selection)).toEqual(naively(last.values(), selection));
      }),
    );
  });

  it("is after any changes what it would be when built anew", () => {
    const change = fc.oneof(
      { weight: 3, arbitrary: anyCampaign },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 }).map((n) => `camp_${n}`) },
      { weight: 1, arbitrary: fc.constant("look") },
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 120 }), anyRequest, (changes, selection) => {
        const index = new CampaignIndex();
        const expected = new Map<string, Campaign>();
        for (const one of changes) {
          if (one === "look") {
            expect(seen(index, selection)).toEqual(naively(expected.values(), selection));
          } else if (typeof one === "string") {
            index.remove(one);
            expected.delete(one);
          } else {
            index.upsert(one);
            expected.set(one.campaign_id, one);
          }
        }
        expect(seen(index, selection)).toEqual(naively(expected.values(), selection));
        expect(index.size).toBe(expected.size);
        expect(index.activeCount).toBe(
          [...expected.values()].filter((one) => one.status === "active").length,
        );
        for (const [id, one] of expected) expect(index.get(id)).toBe(one);
      }),
    );
  });
});
