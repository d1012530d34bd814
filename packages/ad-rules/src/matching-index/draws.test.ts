import { describe, expect, it } from "@jest/globals";
import { SeededRandom } from "../../bench/random.ts";
import { affinities, campaign, creative, geoTarget, placement } from "../../tests/builders.ts";
import { drawCandidates, type SelectionRequest, selectCandidates } from "../candidates/select-candidates.ts";
import type { Campaign } from "../types/campaign.ts";
import { CampaignIndex } from "./campaign-index.ts";

const request: SelectionRequest = {
  placement: placement({ placement_types: ["narrative_hook"] }),
  context: { mood_tags: ["tense"], narrative: "a gun" },
  geo: { country_code: "US" },
  nowMs: Date.parse("2026-03-01T12:00:00Z"),
  limit: 8,
};

/** Thousands that tie, among them some that rank lower or are not eligible, by every kind of rule. */
function crowdedIndex(count: number): CampaignIndex {
  const index = new CampaignIndex();
  const outliers: Partial<Campaign>[] = [
    { cpm_bid_cents: 989 },
    { end_date: "2026-02-28" },
    { creatives: [creative({ creative_type: "location_brand" })] },
    { geo_targets: [geoTarget({ target_type: "country", country_code: "FR" })] },
    { blocklist: [{ rule_type: "keyword", value: "gun" }] },
    { target_tags: ["calm"] },
    { cpm_bid_cents: 250, affinities: affinities(["mood", "tense", 3]) },
  ];
  for (let n = 0; n < count; n += 1) {
    index.upsert(
      campaign({
        campaign_id: `camp_${n}`,
        cpm_bid_cents: 1000 - (n % 10),
        priority: n % 11,
        ...(n % 3 === 0 ? outliers[Math.floor(n / 3) % outliers.length] : {}),
      }),
    );
  }
  return index;
}

describe("draws among very many ties", () => {
  const index = crowdedIndex(6_000);
  const all = selectCandidates(index, request).candidates;
  const random = new SeededRandom(1).next;

  it("yield different candidates, each of those that tie", () => {
    expect(all.length).toBeGreaterThan(4_000);
    const ids = new Set(all.map((one) => one.campaign.campaign_id));
    for (let n = 0; n < 200; n += 1) {
      const drawn = drawCandidates(index, request, random).candidates.map((one) => one.campaign.campaign_id);
      expect(new Set(drawn).size).toBe(request.limit);
      expect(drawn.filter((id) => !ids.has(id))).toEqual([]);
    }
  });

  it("give every weight its share, whatever the place of the campaign", () => {
    const rounds = 5_500;
    const byPriority = new Map<number, number>();
    const byTenth = new Map<number, number>();
    const totals = { weight: 0, byPriority: new Map<number, number>(), byTenth: new Map<number, number>() };
    const tenth = (one: Campaign) => Math.floor(Number(one.campaign_id.slice(5)) / 600);
    const add = (counts: Map<number, number>, key: number, value: number) =>
      counts.set(key, (counts.get(key) ?? 0) + value);
    for (const { campaign: one } of all) {
      totals.weight += one.priority + 1;
      add(totals.byPriority, one.priority, one.priority + 1);
      add(totals.byTenth, tenth(one), one.priority + 1);
    }
    for (let n = 0; n < rounds; n += 1) {
      const [winner] = drawCandidates(index, { ...request, limit: 1 }, random).candidates;
      if (winner === undefined) throw new Error("nothing drawn");
      add(byPriority, winner.campaign.priority, 1);
      add(byTenth, tenth(winner.campaign), 1);
    }
    const chiSquare = (seen: Map<number, number>, weights: Map<number, number>) =>
      [...weights].reduce((sum, [key, weight]) => {
        const expected = (rounds * weight) / totals.weight;
        return sum + ((seen.get(key) ?? 0) - expected) ** 2 / expected;
      }, 0);
    // The 99.99 % quantiles for ten and for nine degrees of freedom.
    expect(chiSquare(byPriority, totals.byPriority)).toBeLessThan(35.6);
    expect(chiSquare(byTenth, totals.byTenth)).toBeLessThan(33.7);
  });

  it("leave out what is skipped, and fall back to all ties when next to nothing is left", () => {
    const last = all.at(-1)?.campaign.campaign_id;
    const skip = (one: Campaign) => one.campaign_id !== last;
    expect(drawCandidates(index, { ...request, skip }, random)).toMatchObject({
      candidates: [{ campaign: { campaign_id: last } }],
    });
    let asked = 0;
    const forgetful = () => {
      asked += 1;
      return asked > 600;
    };
    const drawn = drawCandidates(index, { ...request, skip: forgetful }, () => 0).candidates;
    expect(drawn.length).toBeLessThanOrEqual(request.limit);
  });

  it("go on with lower ranks when the few highest are drawn", () => {
    const few = crowdedIndex(6_000);
    few.upsert(campaign({ campaign_id: "camp_best", cpm_bid_cents: 2_000 }));
    few.upsert(campaign({ campaign_id: "camp_next", cpm_bid_cents: 1_500 }));
    const drawn = drawCandidates(few, request, random);
    expect(drawn.highestRank).toBe(2_000);
    expect(drawn.candidates.map((one) => one.rank).slice(0, 2)).toEqual([2_000, 1_500]);
    expect(drawn.candidates).toHaveLength(request.limit);
  });
});
