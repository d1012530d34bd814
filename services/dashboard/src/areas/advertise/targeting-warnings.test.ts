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

  describe("of affinities", () => {
    const affinity = (
      affinity_type: "mood" | "location" | "lighting",
      affinity_value: string,
      weight = 1,
    ) => ({
      ...common,
      affinity_type,
      affinity_value,
      weight,
    });
    const word = (value: string) => ({ type: "mood" as const, value, games: 3, scenes: 10 });

    it("says which mood no game sends, and what games send instead", () => {
      const found = targetingWarnings(everything, [], [], [affinity("mood", "Cozy")], [word("calm")]);
      expect(found[0]).toMatch(/^No game is known to send the mood Cozy: .*calm\.$/);
    });

    it("says nothing of a mood that games send, in whatever case", () => {
      const found = targetingWarnings(everything, [], [], [affinity("mood", "Calm")], [word("calm")]);
      expect(found.filter((sentence) => sentence.startsWith("No game"))).toEqual([]);
    });

    it("says nothing of a kind of which no word is known, or more than are listed", () => {
      const many = Array.from({ length: 200 }, (_, index) => word(`mood ${index}`));
      for (const words of [[], many]) {
        const found = targetingWarnings(everything, [], [], [affinity("mood", "cozy")], words);
        expect(found.filter((sentence) => sentence.startsWith("No game"))).toEqual([]);
      }
    });

    it("says which overrides games receive in every scene: the heaviest of each kind", () => {
      const found = targetingWarnings(
        everything,
        [],
        [],
        [
          affinity("location", "harbour"),
          affinity("location", "tavern", 2),
          affinity("lighting", "warm"),
          affinity("lighting", "neon"),
        ],
      );
      expect(found[0]).toMatch(/^Games receive lighting: warm, location: tavern with every match/);
      expect(found[1]).toMatch(/^Lighting, effects and camera lift the rank only where/);
    });
  });
});
