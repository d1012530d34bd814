import { describe, expect, it } from "@jest/globals";
import { affinities, campaign, creative, placement } from "../../tests/builders.ts";
import { eligibleCandidate } from "../../tests/eligible-candidate.ts";
import { creativesOfTypes } from "./creative-type.ts";

const scene = { placement: placement(), context: {}, geo: null, nowMs: Date.parse("2026-03-01T12:00:00Z") };

describe("rule 2: placement", () => {
  const own = campaign({
    target_categories: ["RPG"],
    affinities: affinities(["category", "Horror"], ["mood", "tense"]),
  });

  it.each([
    { why: "nothing is blocked", fields: {}, admits: true },
    { why: "the placement is not active", fields: { is_active: false }, admits: false },
    { why: "the advertiser is blocked", fields: { blocked_advertisers: [" ADV_1 "] }, admits: false },
    { why: "another advertiser is blocked", fields: { blocked_advertisers: ["adv_2"] }, admits: true },
    {
      why: "a target category is blocked",
      fields: { blocked_categories: ["puzzle", " rpg "] },
      admits: false,
    },
    { why: "a category affinity is blocked", fields: { blocked_categories: ["horror"] }, admits: false },
    { why: "another kind of affinity is named", fields: { blocked_categories: ["tense"] }, admits: true },
    { why: "a blank entry blocks nothing", fields: { blocked_categories: [" "] }, admits: true },
  ])("$why", ({ fields, admits }) => {
    const request = { ...scene, placement: placement(fields), context: { category: "rpg" } };
    expect(eligibleCandidate(own, request) !== null).toBe(admits);
  });
});

describe("rule 3: a creative whose type is in placement_types", () => {
  const hook = creative({ creative_id: "crt_1" });
  const brand = creative({ creative_id: "crt_2", creative_type: "location_brand" });

  it("keeps creatives of these types, in order", () => {
    expect(creativesOfTypes([brand, hook], ["narrative_hook", "location_brand"])).toEqual([brand, hook]);
    expect(creativesOfTypes([brand, hook], ["narrative_hook"])).toEqual([hook]);
  });

  it("requires at least one", () => {
    const hooks = { ...scene, placement: placement({ placement_types: ["narrative_hook"] }) };
    const creativesOffered = (creatives: (typeof hook)[]) =>
      eligibleCandidate(campaign({ creatives }), hooks)?.creatives ?? null;
    expect(creativesOffered([brand, hook])).toEqual([hook]);
    expect(creativesOffered([brand])).toBeNull();
    expect(creativesOffered([])).toBeNull();
  });
});
