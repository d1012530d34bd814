import type { Campaign } from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";
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
  "all refused": { campaign: usual, request: scene, refused: true },
};
