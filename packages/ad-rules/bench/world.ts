import type { AffinityType, Campaign, Creative, CreativeType, GeoTarget } from "../src/types/campaign.ts";
import { SeededRandom } from "./random.ts";
import * as vocabulary from "./vocabulary.ts";

const creativeTypes: CreativeType[] = [
  "narrative_hook",
  "product_mention",
  "location_brand",
  "character_reference",
];
const usualBids = [500, 1000, 200, 800, 1500, 300, 2000, 2500, 600, 400, 1200, 5000];
const affinityLists: [AffinityType, readonly string[]][] = [
  ["mood", vocabulary.moods],
  ["theme", vocabulary.themes],
  ["action", vocabulary.actions],
  ["location", vocabulary.locations],
  ["lighting", vocabulary.visuals],
  ["category", vocabulary.categories],
  ["effects", vocabulary.visuals],
  ["camera", vocabulary.visuals],
];

/**
 * A campaign in the JSON of the snapshot. Most have a geo target and affinities; half have tags, half categories, half a
 * schedule; some have a blocklist. Each targets something. A fifth are not active.
 */
export function campaignJson(number: number, version = 1): string {
  return JSON.stringify(campaign(number, version));
}

function campaign(number: number, version: number): Campaign {
  const random = new SeededRandom(number * 7919 + version);
  const id = (prefix: string, n = 0) => `${prefix}_01kb${(number * 131 + n).toString(36).padStart(22, "0")}`;
  const many = (share: number, max: number) => (random.chance(share) ? random.whole(1, max) : 0);
  const [start, end] = schedule(random);
  const targetTags = random.several(vocabulary.tags, many(0.5, 6));
  const geoTargets = Array.from({ length: many(0.75, 4) }, (_, n) => geoTarget(random, id("geo", n)));
  const targetsAnything = targetTags.length > 0 || geoTargets.some((target) => target.include);
  const targetCategories = random.several(vocabulary.categories, targetsAnything ? many(0.45, 4) : 2);
  return {
    campaign_id: id("camp"),
    advertiser_id: `adv_01kb${Math.floor(number / 4)
      .toString(36)
      .padStart(22, "0")}`,
    version,
    status: random.chance(0.8) ? "active" : random.chance(0.5) ? "paused" : "draft",
    cpm_bid_cents: bid(random),
    priority: random.chance(0.7) ? 5 : random.whole(0, 10),
    start_date: start,
    end_date: end,
    target_categories: targetCategories,
    target_tags: targetTags,
    creatives: Array.from({ length: random.whole(1, 3) }, (_, n) => creative(random, id("crt", n))),
    geo_targets: geoTargets,
    blocklist: Array.from({ length: many(0.4, 8) }, () => blocklistRule(random)),
    affinities: Array.from({ length: many(0.8, 8) }, (_, n) => {
      const [affinity_type, list] = random.zipf(affinityLists);
      const weight = random.chance(0.4) ? 1 : random.whole(1, 30) / 10;
      return { affinity_id: id("aff", n), affinity_type, affinity_value: random.zipf(list), weight };
    }),
  };
}

function bid(random: SeededRandom): number {
  if (random.chance(0.5)) return random.zipf(usualBids);
  return Math.round(Math.min(10_000, Math.max(100, random.around(700, 0.8))));
}

function schedule(random: SeededRandom): [string | null, string | null] {
  const day = (offset: number) => new Date(Date.UTC(2026, 2, 1 + offset)).toISOString().slice(0, 10);
  if (!random.chance(0.5)) return [null, null];
  const start = random.whole(-90, 20);
  return [day(start), random.chance(0.6) ? day(start + random.whole(7, 120)) : null];
}

function creative(random: SeededRandom, creative_id: string): Creative {
  const brand = random.zipf(vocabulary.brandNames);
  return {
    creative_id,
    creative_type: random.zipf(creativeTypes),
    brand_name: brand,
    product_name: random.chance(0.5) ? random.zipf(vocabulary.brandNames) : null,
    tagline: random.chance(0.4) ? sentence(random, 5) : null,
    narrative_hook: `${brand}: ${sentence(random, 9)}`,
    alt_hooks: random.chance(0.4) ? [sentence(random, 9)] : [],
    tone: "neutral",
    max_uses_per_game: 3,
  };
}

function geoTarget(random: SeededRandom, geo_target_id: string): GeoTarget {
  const country = random.zipf(vocabulary.countries);
  const target = {
    geo_target_id,
    target_type: "country",
    country_code: country,
    state_code: null,
    city_name: null,
    lat: null,
    lng: null,
    radius_km: null,
    include: !random.chance(0.12),
  } satisfies GeoTarget;
  const kind = random.next();
  if (kind < 0.65) return target;
  if (kind < 0.8) return { ...target, target_type: "state", state_code: random.zipf(vocabulary.states) };
  if (kind < 0.92) return { ...target, target_type: "city", city_name: random.zipf(vocabulary.cities) };
  const { lat, lng } = pointIn(random, country);
  return { ...target, target_type: "radius", country_code: null, lat, lng, radius_km: random.whole(5, 300) };
}

function blocklistRule(random: SeededRandom): Campaign["blocklist"][number] {
  const kind = random.next();
  if (kind < 0.6) return { rule_type: "keyword", value: random.zipf(vocabulary.keywords) };
  if (kind < 0.75) return { rule_type: "theme", value: random.zipf(vocabulary.themes) };
  if (kind < 0.85) return { rule_type: "category", value: random.zipf(vocabulary.categories) };
  if (kind < 0.95) return { rule_type: "action", value: random.zipf(vocabulary.actions) };
  return { rule_type: "game_id", value: `game-${random.whole(1, 2_000)}` };
}

/** A random point near the centre of a fictional country. */
export function pointIn(random: SeededRandom, country: string): { lat: number; lng: number } {
  const index = vocabulary.countries.indexOf(country);
  return {
    lat: ((index * 37) % 120) - 60 + random.next() * 8,
    lng: ((index * 83) % 340) - 170 + random.next() * 10,
  };
}

function sentence(random: SeededRandom, words: number): string {
  return `${vocabulary.storyOf(random, words)}.`;
}
