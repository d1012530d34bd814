import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { geoTarget } from "../../tests/builders.ts";
import type { GeoTarget } from "../types/campaign.ts";
import type { PlayerGeo } from "../types/request.ts";
import { compileGeo, geoRule, preparePlayerPlace } from "./geo.ts";
import { greatCircleKm } from "./great-circle.ts";

const admits = (targets: GeoTarget[], player: PlayerGeo | null) =>
  geoRule
    .checks(
      { source: { geo_targets: targets }, geo: compileGeo(targets) },
      { prepared: { player: preparePlayerPlace(player) }, geo: player },
    )
    .every(({ passed }) => passed);

const usa = geoTarget({ target_type: "country", country_code: "US" });
const texas = geoTarget({ target_type: "state", country_code: "US", state_code: "TX" });
const paris = geoTarget({ target_type: "city", country_code: "FR", city_name: "Paris" });
const parisTexas = geoTarget({
  target_type: "city",
  country_code: "US",
  state_code: "TX",
  city_name: "Paris",
});
const berlin = geoTarget({ target_type: "radius", lat: 52.52, lng: 13.405, radius_km: 300 });
const not = (target: GeoTarget): GeoTarget => ({ ...target, include: false });

describe("rule 4: geo", () => {
  it.each<{ why: string; targets: GeoTarget[]; player: PlayerGeo | null; expected: boolean }>([
    { why: "no rules", targets: [], player: null, expected: true },
    { why: "country: code", targets: [usa], player: { country_code: "us" }, expected: true },
    { why: "country: another", targets: [usa], player: { country_code: "CA" }, expected: false },
    {
      why: "state: country + code",
      targets: [texas],
      player: { country_code: "US", state_code: "tx" },
      expected: true,
    },
    {
      why: "state: of another country",
      targets: [texas],
      player: { country_code: "MX", state_code: "TX" },
      expected: false,
    },
    { why: "state: unknown", targets: [texas], player: { country_code: "US" }, expected: false },
    {
      why: "city: country + name",
      targets: [paris],
      player: { country_code: "FR", city_name: " PARIS" },
      expected: true,
    },
    {
      why: "city: compared without accents",
      targets: [geoTarget({ target_type: "city", country_code: "BR", city_name: "São Paulo" })],
      player: { country_code: "BR", city_name: "sao paulo" },
      expected: true,
    },
    {
      why: "city: of another country",
      targets: [paris],
      player: { country_code: "US", city_name: "Paris" },
      expected: false,
    },
    {
      why: "city: with the state when the rule names one",
      targets: [parisTexas],
      player: { country_code: "US", state_code: "TX", city_name: "Paris" },
      expected: true,
    },
    {
      why: "city: the state unknown though the rule names one",
      targets: [parisTexas],
      player: { country_code: "US", city_name: "Paris" },
      expected: false,
    },
    {
      why: "city: the player's state does not matter when the rule names none",
      targets: [paris],
      player: { country_code: "FR", state_code: "IDF", city_name: "Paris" },
      expected: true,
    },
    {
      why: "radius: inside (Hamburg, 255 km)",
      targets: [berlin],
      player: { lat: 53.5511, lng: 9.9937 },
      expected: true,
    },
    {
      why: "radius: outside (Munich, 504 km)",
      targets: [berlin],
      player: { lat: 48.1351, lng: 11.582 },
      expected: false,
    },
    { why: "radius: without a point", targets: [berlin], player: { country_code: "DE" }, expected: false },
    { why: "any include is enough", targets: [paris, usa], player: { country_code: "US" }, expected: true },
    {
      why: "a matching exclude is out",
      targets: [not(usa)],
      player: { country_code: "US" },
      expected: false,
    },
    {
      why: "an exclude wins over an include",
      targets: [usa, not(texas)],
      player: { country_code: "US", state_code: "TX" },
      expected: false,
    },
    {
      why: "an exclude that does not match",
      targets: [usa, not(texas)],
      player: { country_code: "US", state_code: "CA" },
      expected: true,
    },
    {
      why: "excludes alone let the others in",
      targets: [not(usa)],
      player: { country_code: "CA" },
      expected: true,
    },
    {
      why: "a player of unknown place never matches an include",
      targets: [usa],
      player: null,
      expected: false,
    },
    {
      why: "a player of unknown place is never dropped by an exclude",
      targets: [not(usa)],
      player: {},
      expected: true,
    },
    { why: "blank is unknown", targets: [not(usa)], player: { country_code: " " }, expected: true },
    {
      why: "an exclude that cannot be read serves nowhere",
      targets: [not(geoTarget({ target_type: "country" }))],
      player: { country_code: "CA" },
      expected: false,
    },
    {
      why: "an include that cannot be read matches nothing",
      targets: [geoTarget({ target_type: "radius", lat: 1 })],
      player: { lat: 1, lng: 1 },
      expected: false,
    },
  ])("$why", ({ targets, player, expected }) => {
    expect(admits(targets, player)).toBe(expected);
  });
});

describe("great-circle distance", () => {
  const point = fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  const halfCircumferenceKm = Math.PI * 6371.0088;

  it("matches known distances", () => {
    expect(greatCircleKm({ lat: 0, lng: 0 }, { lat: 0, lng: 180 })).toBeCloseTo(halfCircumferenceKm, 6);
    expect(greatCircleKm({ lat: 90, lng: 12 }, { lat: -90, lng: 77 })).toBeCloseTo(halfCircumferenceKm, 6);
    expect(greatCircleKm({ lat: 0, lng: 179.5 }, { lat: 0, lng: -179.5 })).toBeCloseTo(
      halfCircumferenceKm / 180,
      6,
    );
    expect(greatCircleKm({ lat: 48.8566, lng: 2.3522 }, { lat: 51.5074, lng: -0.1278 })).toBeCloseTo(
      343.556,
      2,
    );
  });

  it("agrees with the chord between unit vectors, and is the same in both directions", () => {
    fc.assert(
      fc.property(point, point, (from, to) => {
        const vector = ({ lat, lng }: typeof from) => {
          const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180];
          return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
        };
        const [one, other] = [vector(from), vector(to)];
        const chord = Math.hypot(...one.map((x, axis) => x - (other[axis] ?? 0)));
        const byChord = 2 * 6371.0088 * Math.asin(Math.min(1, chord / 2));
        expect(Math.abs(greatCircleKm(from, to) - byChord)).toBeLessThan(0.001);
        expect(greatCircleKm(to, from)).toBe(greatCircleKm(from, to));
      }),
    );
  });

  it("keeps the edge of a radius in, and a metre beyond it out", () => {
    fc.assert(
      fc.property(point, point, (center, player) => {
        const distance = greatCircleKm(center, player);
        const target = (radius_km: number) => geoTarget({ target_type: "radius", ...center, radius_km });
        expect(admits([target(distance)], player)).toBe(true);
        expect(admits([target(distance - 0.001)], player)).toBe(false);
      }),
    );
  });
});
