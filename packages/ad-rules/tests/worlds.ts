import fc from "fast-check";
import type {
  AffinityType,
  BlocklistRuleType,
  Campaign,
  CreativeType,
  GeoTarget,
} from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";
import { affinities, campaign, creative, geoTarget, placement } from "./builders.ts";

/**
 * Worlds and requests that collide often: few values in several spellings, phrases within and across words, scripts that
 * do not separate words, dates and places at their edges, blank entries, unreadable dates and places.
 */

const noonMs = Date.parse("2026-03-01T12:00:00Z");
const dates = [
  "2026-03-01",
  "2026-02-28",
  "2026-03-02",
  "2026-03-01T12:00:00Z",
  "2026-03-01T12:00:00.001Z",
  "2026-03-01T13:00:00+01:00",
  "2026-03-01T12:00:00.0015Z",
  "2026-03-01T12:00",
  "2026-03-01T17:45:00+0545",
  "2026-03-01T11:59:60Z",
  "2028-02-29",
  "soon",
];

/** Texts of both campaigns and contexts. */
const values = [
  "rain",
  "RAIN ",
  "dark rain",
  "dark-rain",
  "dark",
  "train",
  "gun",
  "begun",
  "café",
  "cafe\u0301",
  "cafe",
  "ﬁre",
  "fire",
  "東京",
  "東京タワー",
  "タワー",
  "雨 東京",
  "iphone 手机",
  "手机 rain",
  "กาแฟ",
  "rpg",
  "a",
  "42",
  " ",
  "…",
  "Ω",
  "ω",
  "ΟΔΟΣ",
  "οδος",
  "οδοσ βροχη",
  "Straße",
  "strasse",
  "Йод",
  "йод",
  "иод",
  "ผมชอบกาแฟมาก",
  "Wi-Fi 手机",
  "नमस्ते",
  "g\u200bun",
  "be\u00adgun",
  "gun\ufe0f",
  "กา\u200bแฟ",
  "\u200b",
  "\u0301",
  "🔥",
  "rain 👩\u200d🚀",
  "İstanbul",
  "istanbul",
  "ılık",
  "𠮷野",
  "𠮷",
  "東 q\u0301",
];
const value = fc.constantFrom(...values);
const someValues = (maxLength: number) => fc.array(value, { maxLength });
/** Mostly an empty list, so that filters do not exclude everything. */
const fewValues = (maxLength: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 2, arbitrary: someValues(maxLength) },
  );

const types: CreativeType[] = ["narrative_hook", "product_mention", "location_brand", "character_reference"];
export const affinityTypes: readonly AffinityType[] = [
  "action",
  "location",
  "theme",
  "mood",
  "category",
  "lighting",
  "effects",
  "camera",
];
const ruleTypes: BlocklistRuleType[] = ["keyword", "theme", "category", "action", "game_id"];

const weight = fc.oneof(
  fc.constantFrom(0.1, 0.2, 0.5, 1, 1.3, 2.5, 3),
  fc.integer({ min: 1_000, max: 30_000 }).map((parts) => parts / 10_000),
);

const country = fc.constantFrom("US", "us", "FR", null);
const state = fc.constantFrom("CA", "NY", "ca", null);
const city = fc.constantFrom(
  "Paris",
  "PARÍS",
  "Łódź",
  "lodz",
  "Gießen",
  "GIESSEN",
  "Йошкар-Ола",
  "Иошкар-Ола",
  "Королёв",
  "королев",
  "がま",
  "かま",
  "مكّة",
  "مكة",
  "Paris\u200f",
  "\u0640",
  "\u0301",
  null,
);
/** Around the date line, at a pole, and one degree apart (111.195 km) along the equator. */
const point = fc.constantFrom(
  { lat: 0, lng: 0 },
  { lat: 0, lng: 1 },
  { lat: 1, lng: 0 },
  { lat: 10, lng: 179.9 },
  { lat: 10, lng: -179.9 },
  { lat: 89.9, lng: 10 },
  { lat: 89.9, lng: -170 },
  { lat: -90, lng: 0 },
);
/** One degree of a great circle. */
const degreeKm = (6371.0088 * Math.PI) / 180;
const place: fc.Arbitrary<GeoTarget> = fc
  .record({
    target_type: fc.constantFrom("country", "country", "state", "city", "radius"),
    country_code: country,
    state_code: state,
    city_name: city,
    point: fc.option(point, { freq: 8 }),
    radius_km: fc.constantFrom(
      0,
      22,
      111,
      degreeKm - 2e-6,
      degreeKm,
      degreeKm + 1e-9,
      111.2,
      5_000,
      Math.PI * 6371.0088,
    ),
    include: fc.constantFrom(true, true, false),
  })
  .map(({ point, ...fields }) =>
    geoTarget({ ...fields, target_type: fields.target_type as GeoTarget["target_type"], ...point }),
  );

export const advertiserId = fc.constantFrom("adv_1", "adv_2", "adv_3");

/** Few ids, so that campaigns replace each other. */
export const campaignId = fc.integer({ min: 0, max: 99 }).map((n) => `camp_${n}`);

/** A list that is not empty, between entries that no request has. */
function long<Entry>(list: Entry[], entryOf: (number: number) => Entry): Entry[] {
  if (list.length === 0) return list;
  const others = Array.from({ length: 20 }, (_, number) => entryOf(number));
  return [...others.slice(10), ...list, ...others.slice(0, 10)];
}

function withLongLists(fields: Campaign): Campaign {
  // Without includes, only places that it excludes are added: any place will do then, too.
  const include = fields.geo_targets.some((target) => target.include);
  const town = (number: number) =>
    geoTarget({ target_type: "city", country_code: "FR", city_name: `Town ${number}`, include });
  const island = (number: number) =>
    geoTarget({
      target_type: "radius",
      lat: -30 - (number % 5),
      lng: number * 9 - 100,
      radius_km: 9,
      include,
    });
  return {
    ...fields,
    target_categories: long(fields.target_categories, (number) => `category ${number}`),
    target_tags: long(fields.target_tags, (number) => `tag ${number}`),
    geo_targets: long(long(fields.geo_targets, town), island),
    blocklist: long(fields.blocklist, (number) => ({ rule_type: "keyword", value: `word ${number}` })),
  };
}

export const anyCampaign: fc.Arbitrary<Campaign> = fc
  .record({
    campaign_id: campaignId,
    advertiser_id: advertiserId,
    status: fc.constantFrom("active", "active", "active", "active", "paused", "draft"),
    cpm_bid_cents: fc.oneof(fc.constantFrom(1000, 995, 990, 989), fc.integer({ min: 100, max: 10_000 })),
    priority: fc.integer({ min: 0, max: 10 }),
    start_date: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.constantFrom(...dates)),
    end_date: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.constantFrom(...dates)),
    target_categories: fewValues(3),
    target_tags: fewValues(3),
    types: fc.oneof({ weight: 5, arbitrary: fc.constant(types) }, fc.subarray(types)),
    geo_targets: fc.oneof(fc.constant<GeoTarget[]>([]), fc.array(place, { maxLength: 3 })),
    blocklist: fc.oneof(
      fc.constant<Campaign["blocklist"]>([]),
      fc.array(
        fc.record({
          rule_type: fc.constantFrom(...ruleTypes),
          value: fc.oneof(value, fc.constantFrom("game-1", "game-2")),
        }),
        { maxLength: 3 },
      ),
    ),
    affinities: fc.array(fc.tuple(fc.constantFrom(...affinityTypes), value, weight), { maxLength: 5 }),
    hasLongLists: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(({ types, affinities: list, status, hasLongLists, ...fields }) => {
    const made = campaign({
      ...fields,
      status: status as Campaign["status"],
      creatives: types.map((creative_type, n) => creative({ creative_type, creative_id: `crt_${n}` })),
      affinities: affinities(...list),
    });
    return hasLongLists ? withLongLists(made) : made;
  });

const narrative = fc
  .array(
    fc.tuple(
      fc.oneof(value, fc.constantFrom("the", "b", "手", "机")),
      fc.constantFrom(" ", ", ", "-", "", "\n"),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.flat().join(""));

export const anyScene: fc.Arbitrary<MatchScene> = fc
  .record({
    context: fc.record({
      theme_id: fc.option(value),
      category: fc.option(value),
      location: fc.option(value),
      narrative: fc.option(narrative, { freq: 4 }),
      mood_tags: fc.option(someValues(3)),
      actions: fc.option(someValues(3)),
    }),
    geo: fc.option(
      fc
        .record({ country_code: country, state_code: state, city_name: city, point: fc.option(point) })
        .map(({ point, ...fields }) => ({ ...fields, ...point })),
      { freq: 4 },
    ),
    placement: fc.record({
      is_active: fc.oneof({ weight: 19, arbitrary: fc.constant(true) }, fc.constant(false)),
      placement_types: fc.oneof(fc.constant(types), fc.subarray(types, { minLength: 1 })),
      blocked_advertisers: fc.oneof(
        { weight: 3, arbitrary: fc.constant<string[]>([]) },
        fc.constantFrom<string[]>(["adv_2"], ["ADV_1 ", "adv_9"]),
      ),
      blocked_categories: fewValues(2),
    }),
    nowMs: fc.constantFrom(noonMs, noonMs + 1, noonMs - 12 * 3_600_000, noonMs - 12 * 3_600_000 - 1),
  })
  .map(({ placement: fields, ...request }) => ({ ...request, placement: placement(fields) }));
