import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { SeededRandom } from "../../bench/random.ts";
import { affinities, campaign, creative, geoTarget, placement } from "../../tests/builders.ts";
import type { Campaign } from "../types/campaign.ts";
import type { MatchScene } from "../types/request.ts";
import { CampaignIndex } from "./campaign-index.ts";

const scene: MatchScene = {
  placement: placement({ placement_types: ["narrative_hook"] }),
  context: { mood_tags: ["tense"], narrative: "a gun in the rain" },
  geo: { country_code: "US" },
  nowMs: Date.parse("2026-03-01T12:00:00Z"),
};

/** Thousands of ties, in one posting list or several, among campaigns that rank lower or fail one of the rules. */
function crowdedIndex(count: number): CampaignIndex {
  const index = new CampaignIndex();
  const others: Partial<Campaign>[] = [
    { cpm_bid_cents: 989 },
    { end_date: "2026-02-28" },
    { creatives: [creative({ creative_type: "location_brand" })] },
    { geo_targets: [geoTarget({ target_type: "country", country_code: "FR" })] },
    { blocklist: [{ rule_type: "keyword", value: "gun" }] },
    { target_tags: ["calm"] },
    { cpm_bid_cents: 571, affinities: affinities(["mood", "tense", 3]) },
    { target_tags: ["rain", "tense", "gun"] },
    { cpm_bid_cents: 666, affinities: affinities(["mood", "tense", 1], ["mood", "calm", 3]) },
  ];
  for (let n = 0; n < count; n += 1) {
    index.upsert(
      campaign({
        campaign_id: `camp_${n}`,
        cpm_bid_cents: 1000 - (n % 10),
        priority: n % 11,
        ...(n % 3 === 0 ? others[Math.floor(n / 3) % others.length] : {}),
      }),
    );
  }
  return index;
}

describe("a draw among very many ties", () => {
  const index = crowdedIndex(6_000);
  const all = index.ties(scene);
  const random = new SeededRandom(1).next;

  it("returns one of the ties and no excluded campaign", () => {
    expect(all.length).toBeGreaterThan(4_000);
    const ids = new Set(all.map((one) => one.campaign.campaign_id));
    const exclude = new Set<string>();
    for (let n = 0; n < 200; n += 1) {
      const id = index.draw(scene, random, { exclude }).candidate?.campaign.campaign_id ?? "";
      expect(ids.has(id)).toBe(true);
      expect(exclude.has(id)).toBe(false);
      if (exclude.size < 100) exclude.add(id);
    }
  });

  it("gives every weight its share, whatever the campaign's position and number of posting lists", () => {
    const rounds = 5_500;
    const groups: ((one: Campaign) => number)[] = [
      (one) => one.priority,
      (one) => Math.floor(Number(one.campaign_id.slice(5)) / 600),
      (one) => one.target_tags.length,
      (one) => one.affinities.length,
    ];
    const expected = groups.map(() => new Map<number, number>());
    const seen = groups.map(() => new Map<number, number>());
    const add = (counts: Map<number, number>[], one: Campaign, value: number) => {
      for (const [position, groupOf] of groups.entries()) {
        const group = counts[position];
        group?.set(groupOf(one), (group.get(groupOf(one)) ?? 0) + value);
      }
    };
    const totalWeight = all.reduce((sum, one) => sum + one.campaign.priority + 1, 0);
    for (const { campaign: one } of all) add(expected, one, ((one.priority + 1) * rounds) / totalWeight);
    for (let n = 0; n < rounds; n += 1) {
      const winner = index.draw(scene, random).candidate;
      if (winner === null) throw new Error("nothing drawn");
      add(seen, winner.campaign, 1);
    }
    for (const [position, shares] of expected.entries()) {
      const chiSquare = [...shares].reduce(
        (sum, [group, share]) => sum + ((seen[position]?.get(group) ?? 0) - share) ** 2 / share,
        0,
      );
      // The 99.99 % quantiles for ten, nine, one and two degrees of freedom.
      expect(chiSquare).toBeLessThan([35.6, 33.7, 15.2, 18.5][position] ?? 0);
    }
  });

  it("lists all ties when sampling finds none", () => {
    const last = all.find((one) => one.rank === 1_000)?.campaign.campaign_id ?? "";
    const exclude = all.map((one) => one.campaign.campaign_id).filter((id) => id !== last);
    expect(index.draw(scene, random, { exclude }).candidate?.campaign.campaign_id).toBe(last);
  });

  it("prefers the few campaigns that rank above the crowd", () => {
    const few = crowdedIndex(3_000);
    few.upsert(campaign({ campaign_id: "camp_best", cpm_bid_cents: 2_000 }));
    expect(few.draw(scene, random).candidate?.rank).toBe(2_000);
    expect(few.highest(scene, 2).map((one) => one.rank)).toEqual([2_000, 1_000]);
    const listed = few.highest(scene, 5_000);
    const exclude = listed.map((one) => one.campaign.campaign_id);
    expect(new Set(exclude).size).toBeGreaterThan(2_000);
    expect(few.draw(scene, random, { exclude }).candidate).toBeNull();
    const ranks = listed.map((one) => one.rank);
    expect(ranks).toEqual(ranks.toSorted((left, right) => right - left));
    expect(few.highest(scene, 500).map((one) => one.rank)).toEqual(ranks.slice(0, 500));
  });
});

describe("a draw among a few ties", () => {
  it("gives each tie exactly priority + 1 of the random numbers, and lower ranks none", () => {
    const contender = fc.record({
      cpm_bid_cents: fc.integer({ min: 9_850, max: 10_000 }),
      priority: fc.integer({ min: 0, max: 10 }),
    });
    fc.assert(
      fc.property(fc.array(contender, { minLength: 1, maxLength: 12 }), (list) => {
        const index = new CampaignIndex();
        for (const [n, fields] of list.entries())
          index.upsert(campaign({ campaign_id: `camp_${n}`, ...fields }));
        const highest = Math.max(...list.map((one) => one.cpm_bid_cents));
        const expected = list.map((one) => (one.cpm_bid_cents * 100 >= highest * 99 ? one.priority + 1 : 0));
        const cells = expected.reduce((sum, weight) => sum + weight, 0);
        const drawn = new Map(list.map((_, n) => [`camp_${n}`, 0]));
        for (let cell = 0; cell < cells; cell += 1) {
          const { candidate } = index.draw(scene, () => (cell + 0.5) / cells);
          const id = candidate?.campaign.campaign_id ?? "";
          drawn.set(id, (drawn.get(id) ?? 0) + 1);
        }
        expect([...drawn.values()]).toEqual(expected);
      }),
    );
  });

  it("accepts every number from 0 to just below 1", () => {
    const index = new CampaignIndex();
    index.upsert(campaign({ campaign_id: "camp_1", priority: 0 }));
    index.upsert(campaign({ campaign_id: "camp_2", priority: 10 }));
    index.upsert(campaign({ campaign_id: "camp_low", cpm_bid_cents: 500 }));
    const drawn = [0, 1 - Number.EPSILON / 2].map(
      (number) => index.draw(scene, () => number).candidate?.campaign.campaign_id,
    );
    expect(drawn.toSorted()).toEqual(["camp_1", "camp_2"]);
  });
});

describe("a look without a letter or digit", () => {
  it("never matches, whatever other terms the index has", () => {
    const index = new CampaignIndex();
    const own = campaign({ campaign_id: "camp_mark", affinities: affinities(["camera", "\u0301", 3]) });
    index.upsert(own);
    index.upsert(campaign({ campaign_id: "camp_east", status: "active", target_tags: ["東"] }));
    const sighted = { ...scene, context: { narrative: "東 q\u0301" } };
    expect(index.highest(sighted, 1).map((one) => one.rank)).toEqual([1_000]);
  });
});

describe("campaigns that have ended", () => {
  it("serve again when the clock is set back, and can be changed and removed meanwhile", () => {
    const index = new CampaignIndex();
    for (let n = 0; n < 30; n += 1) {
      index.upsert(campaign({ campaign_id: `camp_${n}`, end_date: n % 2 === 0 ? "2026-02-28" : null }));
    }
    const later = { ...scene, nowMs: Date.parse("2026-03-05T00:00:00Z") };
    const earlier = { ...scene, nowMs: Date.parse("2026-02-28T23:59:59Z") };
    for (let round = 0; round < 5; round += 1) expect(index.ties(later)).toHaveLength(15);
    index.remove("camp_0");
    index.upsert(campaign({ campaign_id: "camp_2" }));
    expect(index.ties(later)).toHaveLength(16);
    expect(index.ties(earlier)).toHaveLength(29);
    expect(index.ties(later)).toHaveLength(16);
  });
});

describe("campaigns that lacked money for long", () => {
  const geo_targets = [geoTarget({ target_type: "country", country_code: "FR" })];
  const refuser =
    (index: CampaignIndex) =>
    (id: string, forMs: number, fields: Partial<Campaign> = {}) => {
      index.upsert(campaign({ campaign_id: id, ...fields }));
      index.refuse(id, { lacksMoney: true, sinceMs: scene.nowMs, untilMs: scene.nowMs + forMs });
    };
  const idAfter = (index: CampaignIndex, passedMs: number) =>
    index.draw({ ...scene, nowMs: scene.nowMs + passedMs }, () => 0).candidate?.campaign.campaign_id;

  it("are drawn once their refusal has ended, though many others come before it and an equal one still lacks money", () => {
    const index = new CampaignIndex();
    const refuse = refuser(index);
    for (let n = 0; n < 65; n += 1) refuse(`camp_other_${n}`, 3_600_000, { geo_targets });
    refuse("camp_ended", 600_000);
    refuse("camp_refused", 3_600_000);
    expect(index.draw(scene, () => 0)).toMatchObject({ candidate: null, lackedMoney: true });
    expect(idAfter(index, 600_000)).toBe("camp_ended");
  });

  it("are drawn once their refusal has ended, though a higher one is met first and many refusals are not checked", () => {
    const index = new CampaignIndex();
    const refuse = refuser(index);
    for (let n = 0; n < 65; n += 1) refuse(`camp_other_${n}`, 3_600_000, { geo_targets });
    refuse("camp_ended", 600_000);
    refuse("camp_refused", 3_600_000, { cpm_bid_cents: 2_000 });
    expect(index.draw(scene, () => 0)).toMatchObject({ candidate: null, lackedMoney: true });
    index.upsert(campaign({ campaign_id: "camp_short" }));
    const span = { sinceMs: scene.nowMs + 600_000, untilMs: scene.nowMs + 600_001 };
    index.refuse("camp_short", { lacksMoney: true, ...span });
    expect(idAfter(index, 600_000)).toBe("camp_ended");
  });

  it("all compete again once `tidy` returns that nothing remains", () => {
    const index = new CampaignIndex();
    const refuse = refuser(index);
    for (let n = 0; n < 300; n += 1) refuse(`camp_other_${n}`, 3_600_000, { geo_targets });
    refuse("camp_ended", 600_000);
    expect(idAfter(index, 0)).toBeUndefined();
    index.upsert(campaign({ campaign_id: "camp_lower", cpm_bid_cents: 500 }));
    while (index.tidy(scene.nowMs + 600_000));
    expect(idAfter(index, 600_000)).toBe("camp_ended");
  });

  it("of the highest bids leave the lower ones a chance once the refusal of the lowest has ended", () => {
    const index = new CampaignIndex();
    index.upsert(campaign({ campaign_id: "camp_high", advertiser_id: "adv_1", cpm_bid_cents: 5_000 }));
    index.upsert(campaign({ campaign_id: "camp_low", advertiser_id: "adv_1", cpm_bid_cents: 1_000 }));
    const refuse = (bidCents: number, sinceMs: number) =>
      index.refuseAdvertiser("adv_1", { bidCents, sinceMs, untilMs: sinceMs + 600_000 });
    refuse(100, scene.nowMs);
    expect(idAfter(index, 0)).toBeUndefined();
    refuse(5_000, scene.nowMs + 600_000);
    expect(idAfter(index, 600_000)).toBe("camp_low");
  });

  it("stay out of the searched posting lists when they are refused again", () => {
    const index = new CampaignIndex();
    const ids = Array.from({ length: 65 }, (_, n) => `camp_${n}`);
    const span = { sinceMs: scene.nowMs, untilMs: scene.nowMs + 3_600_000 };
    const refuse = (id: string) => index.refuse(id, { lacksMoney: true, ...span });
    for (const id of ids) index.upsert(campaign({ campaign_id: id }));
    for (const id of ids) refuse(id);
    for (let n = 0; n < 2; n += 1) expect(idAfter(index, 0)).toBeUndefined();
    for (const id of ids) refuse(id);
    expect(index.tidy(scene.nowMs)).toBe(false);
  });
});
