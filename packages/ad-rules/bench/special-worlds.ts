import type { Campaign, GeoTarget } from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";
import { geoTarget } from "../tests/builders.ts";
import type { SeededRandom } from "./random.ts";
import { requestKinds } from "./requests.ts";
import * as vocabulary from "./vocabulary.ts";
import { campaignJson } from "./world.ts";

/** Worlds in which every campaign has a feature that is usually rare, with matching requests. */
export interface SpecialWorld {
  campaign(number: number): Campaign;
  request(random: SeededRandom): MatchScene;
  /** The index skips every campaign as lacking money. */
  refused?: boolean;
  maxSize?: number;
}

const usual = (number: number) => JSON.parse(campaignJson(number)) as Campaign;
const open = (number: number): Campaign => ({
  ...usual(number),
  status: "active",
  start_date: null,
  end_date: null,
  geo_targets: [],
  target_tags: [],
  target_categories: [],
  blocklist: [],
  affinities: [],
});
function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
const ofOneAccount = 5_000;
const place = (index: number): GeoTarget =>
  geoTarget({ geo_target_id: `geo_${index}`, target_type: "country", country_code: "US" });
const scene = requestKinds["several match"];

export const specialWorlds: Readonly<Record<string, SpecialWorld>> = {
  "everyone ties": { campaign: (number) => ({ ...open(number), cpm_bid_cents: 1_000 }), request: scene },
  "shared affinity, wrong country": {
    campaign: (number) => ({
      ...open(number),
      affinities: vocabulary.moods.map((affinity_value, index) => ({
        affinity_id: `aff_${index}`,
        affinity_type: "mood",
        affinity_value,
        weight: 1,
      })),
      geo_targets: usual(number)
        .geo_targets.slice(0, 1)
        .map((target) => ({ ...target, target_type: "country", country_code: "AQ", include: true })),
      target_categories: ["nowhere"],
    }),
    request: scene,
  },
  "many ended": {
    campaign: (number) => ({ ...open(number), ...(number % 100 !== 0 && { end_date: "2026-01-31" }) }),
    request: scene,
  },
  "circles elsewhere": {
    maxSize: ofOneAccount,
    campaign: (number) => ({
      ...open(number),
      // Nobody plays south of the 60th parallel.
      geo_targets: times(75, (index) => ({
        ...place(index),
        target_type: "radius",
        lat: -75 + (index % 7),
        lng: index * 4.8 - 180 + (number % 100) / 100,
        radius_km: 100,
      })),
    }),
    request: scene,
  },
  "blocked by one word of many": {
    maxSize: ofOneAccount,
    campaign: (number) => ({
      ...open(number),
      blocklist: [...times(319, (index) => `rare${index}`), vocabulary.storyWords[0] ?? ""].map((value) => ({
        rule_type: "keyword",
        value,
      })),
    }),
    request: scene,
  },
  "places and categories elsewhere": {
    maxSize: ofOneAccount,
    campaign: (number) => ({
      ...open(number),
      geo_targets:
        number === 0
          ? [
              { ...place(0), target_type: "radius", lat: 0, lng: 0, radius_km: 20_015 },
              ...vocabulary.countries.map((country_code) => ({ ...place(0), country_code })),
            ]
          : times(500, (index) => ({ ...place(index), target_type: "city", city_name: `town${index}` })),
      // One record makes every request activate some category and some place.
      target_categories: number === 0 ? vocabulary.categories : times(100, (index) => `genre${index}`),
      target_tags: vocabulary.moods.slice(0, 20),
    }),
    request: scene,
  },
  "all refused": { campaign: usual, request: scene, refused: true },
};
