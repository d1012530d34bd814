import { describe, expect, it } from "@jest/globals";
import { countryShape } from "../../map/circle.ts";
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

  describe("of circles beside an included country", () => {
    const square = (code: string, west: number, east: number) =>
      countryShape(code, {
        type: "Polygon",
        coordinates: [
          [
            [west, 47],
            [west, 55],
            [east, 55],
            [east, 47],
            [west, 47],
          ],
        ],
      });
    const shapes = [square("DE", 6, 15), square("PL", 15, 24)];
    const circle = (lng: number, radius_km: number, include = true) =>
      geo({ target_type: "radius", lat: 51, lng, radius_km, include });
    const warnOf = (...targets: Geo[]) =>
      targetingWarnings(everything, targets, [], [], [], shapes).filter((sentence) =>
        sentence.startsWith("The circle"),
      );
    const germany = geo({ country_code: "DE" });
    const poland = geo({ country_code: "PL" });

    it.each([
      ["inside the country", [germany, circle(10, 100)], "Germany is already included"],
      ["across the coast", [germany, circle(6.5, 100)], "Germany is already included"],
      ["across two included countries", [germany, poland, circle(15.2, 100)], "are already included"],
    ])("says that a circle %s adds nothing", (_where, targets, why) => {
      const [found, ...others] = warnOf(...targets);
      expect(found).toMatch(/^The circle of 100 km around 51, [\d.]+ adds nothing: /);
      expect(found).toContain(why);
      expect(others).toEqual([]);
    });

    it.each([
      ["across the border", [germany, circle(14.5, 100)]],
      ["in another country", [germany, circle(20, 100)]],
      ["in the sea", [germany, circle(0, 100)]],
      ["around the whole country", [germany, circle(10, 700)]],
    ])("says that a circle %s adds places, and does not narrow the country", (_where, targets) => {
      const [found, ...others] = warnOf(...targets);
      expect(found).toContain("adds what lies outside of Germany. It does not narrow a country");
      expect(others).toEqual([]);
    });

    it("says nothing of an excluded circle, of a circle alone, or while the map is not loaded", () => {
      expect(warnOf(germany, circle(10, 100, false))).toEqual([]);
      expect(warnOf(circle(10, 100))).toEqual([]);
      expect(warn(germany, circle(10, 100)).filter((sentence) => sentence.includes("circle"))).toEqual([]);
    });
  });

  it("says that a place in an excluded country is never reached", () => {
    const berlin = geo({ target_type: "city", country_code: "DE", city_name: "Berlin" });
    const found = warn(geo({ country_code: "DE", include: false }), berlin);
    expect(found.some((sentence) => sentence.startsWith("Berlin is never reached"))).toBe(true);
  });

  it.each(["drink ", "ｄｒｉｎｋ"])(
    "says that a blocked action cannot be the affinity %j",
    (affinity_value) => {
      const found = targetingWarnings(
        everything,
        [],
        [{ ...common, rule_type: "action", value: "Drink" }],
        [{ ...common, affinity_type: "action", affinity_value, weight: 1 }],
      );
      expect(found).toEqual(["The affinity action: Drink never counts, because scenes with it are blocked."]);
    },
  );

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
