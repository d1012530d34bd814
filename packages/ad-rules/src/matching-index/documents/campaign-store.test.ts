import { rounds } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { affinities, campaign, creative, geoTarget } from "../../../tests/builders.ts";
import { anyCampaign } from "../../../tests/worlds.ts";
import type { Campaign, CreativeType } from "../../types/campaign.ts";
import { CampaignStore } from "./campaign-store.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("", "ünïcödé", "日本語のテキスト", "👩‍🚀 goes", "\u0000\ufeff", "half of a pair: \ud83d"),
);
/** Of all sizes; some exceed the usual length. */
const longText = fc
  .tuple(text, fc.constantFrom(0, 0, 10, 500, 20_000, 300_000))
  .map(([base, length]) => base + "é".repeat(length));
const named = fc
  .record({ any: anyCampaign, hook: longText, brand: text, version: fc.integer({ min: 1, max: 2 ** 40 }) })
  .map(({ any, hook, brand, version }) => {
    const extra = creative({ brand_name: brand, narrative_hook: hook, alt_hooks: [brand, hook] });
    return { ...any, version, creatives: [...any.creatives, extra] };
  });
const documentId = fc.integer({ min: 0, max: 20 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ documentId, put: named }) },
  { weight: 1, arbitrary: fc.record({ documentId, put: fc.constant(null) }) },
);

function expectToHave(store: CampaignStore, campaigns: ReadonlyMap<number, Campaign>): void {
  for (const [at, known] of campaigns) {
    // Before `get` caches the whole campaign as an object.
    expect(store.idsAt(at)).toEqual({
      advertiserId: known.advertiser_id,
      creativeIds: known.creatives.map((one) => one.creative_id),
    });
    expect(store.get(at)).toEqual(known);
    expect(store.versionOf(at)).toBe(known.version);
  }
  expect(store.activeCount).toBe([...campaigns.values()].filter(({ status }) => status === "active").length);
}

describe("CampaignStore", () => {
  it("returns the campaign stored last, whatever its size and whatever was removed before", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = new CampaignStore();
        const truth = new Map<number, Campaign>();
        for (const { documentId: at, put } of steps) {
          if (truth.has(at)) store.remove(at);
          truth.delete(at);
          if (put !== null) {
            store.put(at, put);
            truth.set(at, put);
          } else {
            expect(() => store.get(at)).toThrow("empty");
            expect(() => store.idsAt(at)).toThrow("empty");
          }
          expectToHave(store, truth);
        }
      }),
      { numRuns: rounds(20, 60) },
    );
  });

  it("keeps every field, and unknown words of enumerations", () => {
    const whole = campaign({
      status: "paused",
      start_date: "2026-01-01",
      end_date: "2026-02-01T10:00:00+02:00",
      target_categories: ["rpg"],
      target_tags: ["space", "pirates"],
      creatives: [
        creative({ creative_type: "location_brand", product_name: "Product", tagline: "A tagline." }),
        creative({ creative_type: "hologram" as CreativeType, tone: "dramatic", max_uses_per_game: 20 }),
      ],
      geo_targets: [
        geoTarget({ target_type: "city", country_code: "DE", state_code: "BE", city_name: "Berlin" }),
        geoTarget({ target_type: "radius", lat: -0.125, lng: 179.99, radius_km: 12.5, include: false }),
      ],
      blocklist: [{ rule_type: "keyword", value: "gun" }],
      affinities: affinities(["mood", "dark", 0.1], ["camera", "wide", 3]),
    });
    const store = new CampaignStore();
    store.put(0, whole);
    expect(store.get(0)).toStrictEqual(whole);
  });

  it("parses a repeatedly read campaign once, and never returns a removed one", () => {
    const store = new CampaignStore();
    for (let at = 0; at < 3_000; at += 1) store.put(at, campaign({ campaign_id: `camp_${at}` }));
    const first = store.get(7);
    expect(store.get(7)).toBe(first);
    store.remove(7);
    expect(() => store.get(7)).toThrow("empty");
    store.put(7, campaign({ campaign_id: "camp_new", version: 2 }));
    expect(store.get(7).campaign_id).toBe("camp_new");
    for (let at = 0; at < 3_000; at += 1) {
      expect(store.get(at).campaign_id).toBe(at === 7 ? "camp_new" : `camp_${at}`);
    }
  });

  it("caches objects of at most a thousand campaigns of 64 KB each", () => {
    const store = new CampaignStore();
    const long = withCreatives(1, 5_000_000);
    for (let at = 0; at < 14; at += 1) store.put(at, long);
    const first = store.get(0);
    for (let at = 1; at < 6; at += 1) store.get(at);
    expect(store.get(0)).toBe(first);
    for (let at = 1; at < 14; at += 1) store.get(at);
    expect(store.get(0)).not.toBe(first);
  });
});

function withCreatives(count: number, hookLength: number): Campaign {
  const creatives = Array.from({ length: count }, () => creative({ narrative_hook: "x".repeat(hookLength) }));
  return campaign({ creatives });
}
