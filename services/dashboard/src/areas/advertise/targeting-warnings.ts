import { comparable } from "@diegetic/ad-rules/equality";
import { countryName } from "../../format/countries.ts";
import { formatList } from "../../format/format.ts";
import { type CountryShape, isCircleWithin } from "../../map/circle.ts";
import type { MarketWord } from "./sent-words.ts";
import type { Affinity, BlocklistRule, Campaign, GeoTarget } from "./use-campaign.ts";

const same = (one: string | null, other: string | null) =>
  one !== null && other !== null && comparable(one) === comparable(other);

/** Where a setting does not do what it seems to; without `shapes`, circles are not compared with countries. */
export function targetingWarnings(
  campaign: Pick<Campaign, "target_categories" | "target_tags">,
  geoTargets: readonly GeoTarget[],
  rules: readonly BlocklistRule[],
  affinities: readonly Affinity[],
  words: readonly MarketWord[] = [],
  shapes?: readonly CountryShape[],
): string[] {
  const found: string[] = [];
  const countries = (include: boolean) =>
    geoTargets.filter((target) => target.target_type === "country" && target.include === include);
  const included = countries(true);
  for (const target of geoTargets) {
    if (!target.include || target.target_type === "country" || target.target_type === "radius") continue;
    const wider = included.find(({ country_code: code }) => same(code, target.country_code));
    if (wider) {
      const name = target.city_name ?? target.state_code ?? "";
      found.push(
        `${name} adds nothing: all of ${countryName(wider.country_code)} is included already. Remove ${countryName(wider.country_code)} to reach ${name} alone.`,
      );
    }
  }
  if (shapes !== undefined) found.push(...circlesBesideCountries(geoTargets, included, shapes));
  if (geoTargets.some(({ include }) => include)) {
    found.push(
      "Players whose place the game does not say never see the campaign, because a place is included.",
    );
  }
  for (const exclude of countries(false)) {
    const inside = geoTargets.find(
      ({ include, country_code: code, target_type: type }) =>
        include && type !== "country" && same(code, exclude.country_code),
    );
    if (inside) {
      found.push(
        `${inside.city_name ?? inside.state_code ?? "The place"} is never reached: ${countryName(exclude.country_code)} is excluded, and a place that is excluded gets no ads, also where a part of it is included.`,
      );
    }
  }
  for (const { rule_type: type, value } of rules) {
    const wanted = affinities.find(
      ({ affinity_type: affinity, affinity_value: other }) => affinity === type && same(other, value),
    );
    if (wanted) {
      found.push(`The affinity ${type}: ${value} never counts, because scenes with it are blocked.`);
    }
    if (type === "category" && campaign.target_categories.some((category) => same(category, value))) {
      found.push(`No scene of the category ${value} is served: it is a target and blocked at once.`);
    }
    if (type === "keyword" && campaign.target_tags.some((tag) => same(tag, value))) {
      found.push(`A scene with the tag ${value} is blocked by the keyword of the same name.`);
    }
  }
  const [onlyCategory] = campaign.target_categories;
  if (campaign.target_categories.length === 1) {
    const useless = affinities.find(
      ({ affinity_type: type, affinity_value: value }) =>
        type === "category" && same(value, onlyCategory ?? null),
    );
    if (useless) {
      found.push(
        `The affinity category: ${useless.affinity_value} is met by every scene that the campaign may appear in, so it prefers none of them.`,
      );
    }
  }
  found.push(...unsentAffinities(affinities, words), ...overridesEverywhere(affinities));
  return found;
}

/** Circles and countries are alternatives: either lets a player see the campaign. */
function circlesBesideCountries(
  geoTargets: readonly GeoTarget[],
  included: readonly GeoTarget[],
  shapes: readonly CountryShape[],
): string[] {
  if (included.length === 0) return [];
  const codes = new Set(included.map(({ country_code: code }) => (code ?? "").toUpperCase()));
  const names = formatList([...codes].map((code) => countryName(code)));
  const verb = codes.size === 1 ? "is" : "are";
  return geoTargets.flatMap(({ include, target_type: type, lat, lng, radius_km: radiusKm }) => {
    if (!include || type !== "radius" || lat === null || lng === null || radiusKm === null) return [];
    const circle = `The circle of ${radiusKm} km around ${lat}, ${lng}`;
    return isCircleWithin({ lat, lng, radiusKm }, codes, shapes)
      ? [
          `${circle} adds nothing: ${names} ${verb} already included. Only a player whose game sends coordinates and no country needs it.`,
        ]
      : [
          `${circle} adds what lies outside of ${names}. It does not narrow a country: players there are reached wherever they are, also outside the circle.`,
        ];
  });
}

/** The most words of each type that the operation names: what a longer list lacks is unknown. */
const MAX_WORDS_PER_TYPE = 200;
const EXAMPLES = 3;

/** Affinities that no game sends, as far as the market is known. */
function unsentAffinities(affinities: readonly Affinity[], words: readonly MarketWord[]): string[] {
  return affinities.flatMap(({ affinity_type: type, affinity_value: value }) => {
    const sent = words.filter((word) => word.type === type);
    if (sent.length === 0 || sent.length >= MAX_WORDS_PER_TYPE) return [];
    if (sent.some((word) => same(word.value, value))) return [];
    const examples = sent.slice(0, EXAMPLES).map((word) => word.value);
    return [
      `No game is known to send the ${type} ${value}: it counts half where the text of a scene contains it, else nothing. Games do send ${examples.join(", ")}.`,
    ];
  });
}

const OVERRIDES = ["lighting", "effects", "camera", "mood", "location"] as const;
const NEVER_SENT: readonly string[] = ["lighting", "effects", "camera"];

/** Overrides go to the game with every match, whatever the scene is like. */
function overridesEverywhere(affinities: readonly Affinity[]): string[] {
  const heaviest = OVERRIDES.flatMap((type) => {
    const [first, ...others] = affinities.filter((one) => one.affinity_type === type);
    if (first === undefined) return [];
    return [others.reduce((best, one) => (one.weight > best.weight ? one : best), first)];
  });
  if (heaviest.length === 0) return [];
  const list = heaviest.map(({ affinity_type: type, affinity_value: value }) => `${type}: ${value}`);
  const found = [
    `Games receive ${list.join(", ")} with every match of the campaign, also in scenes that have nothing of it.`,
  ];
  if (heaviest.some(({ affinity_type: type }) => NEVER_SENT.includes(type))) {
    found.push("Lighting, effects and camera lift the rank only where the scene's text contains the word.");
  }
  return found;
}
