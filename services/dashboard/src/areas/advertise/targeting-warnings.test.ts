import { describe, expect, it } from "@jest/globals";
import { targetingWarnings } from "./targeting-warnings.ts";

type Geo = Parameters<typeof targetingWarnings>[1][number];
const common = { id: "geo_1", campaign_id: "camp_1", created_at: "2026-12-01T00:00:00.000Z" };
const geo = (fields: Partial<Geo>): Geo => ({
  ...common,
  target_type: "country",
  country_code: null,
  state_code: null,
  city_name: null,
  lat: null,
  lng: null,
  radius_km: null,
  include: true,
  ...fields,
});
const everything = { target_categories: [], target_tags: [] };
const warn = (...targets: Geo[]) => targetingWarnings(everything, targets, [], []);

describe("targetingWarnings", () => {
  it("says nothing about a campaign without targeting", () => {
    expect(warn()).toEqual([]);
  });

  it("says that a city inside an included country adds nothing", () => {
    const berlin = geo({ target_type: "city", country_code: "DE", city_name: "Berlin" });
    expect(warn(geo({ country_code: "DE" }), berlin)[0]).toMatch(/^Berlin adds nothing/);
  });

  it("says that a circle does not narrow an included country", () => {
    const circle = geo({ target_type: "radius", lat: 52, lng: 13, radius_km: 100 });
    expect(warn(geo({ country_code: "DE" }), circle)[0]).toMatch(/^A circle does not narrow a country/);
  });

  it("says that a place in an excluded country is never reached", () => {
    const berlin = geo({ target_type: "city", country_code: "DE", city_name: "Berlin" });
    const found = warn(geo({ country_code: "DE", include: false }), berlin);
    expect(found.some((sentence) => sentence.startsWith("Berlin is never reached"))).toBe(true);
  });

  it("says that a blocked action cannot be an affinity", () => {
    const found = targetingWarnings(
      everything,
      [],
      [{ ...common, rule_type: "action", value: "Drink" }],
      [{ ...common, affinity_type: "action", affinity_value: "drink ", weight: 1 }],
    );
    expect(found).toEqual(["The affinity action: Drink never counts, because scenes with it are blocked."]);
  });

  it("says that an affinity equal to the only target category prefers nothing", () => {
    const found = targetingWarnings(
      { target_categories: ["fantasy"], target_tags: [] },
      [],
      [],
      [{ ...common, affinity_type: "category", affinity_value: "Fantasy", weight: 1 }],
    );
    expect(found[0]).toMatch(/prefers none of them\.$/);
  });
});
