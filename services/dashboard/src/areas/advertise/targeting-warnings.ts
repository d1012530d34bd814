import type { AnswerOf } from "../../api/operations.ts";
import { countryName } from "../../format/countries.ts";
import type { Campaign } from "./use-campaign.ts";

type GeoTarget = AnswerOf<"GET /campaigns/{campaign_id}/geo-targets">[number];
type Rule = AnswerOf<"GET /campaigns/{campaign_id}/blocklist">[number];
type Affinity = AnswerOf<"GET /campaigns/{campaign_id}/affinities">[number];

const same = (one: string | null, other: string | null) =>
  one !== null && other !== null && one.trim().toLowerCase() === other.trim().toLowerCase();

/** Where a setting does not do what it seems to. */
export function targetingWarnings(
  campaign: Pick<Campaign, "target_categories" | "target_tags">,
  geoTargets: readonly GeoTarget[],
  rules: readonly Rule[],
  affinities: readonly Affinity[],
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
  if (
    included.length > 0 &&
    geoTargets.some(({ include, target_type: type }) => include && type === "radius")
  ) {
    found.push(
      `A circle does not narrow a country: players in ${included.map(({ country_code: code }) => countryName(code)).join(", ")} are reached wherever they are, also outside the circle.`,
    );
  }
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
        `${inside.city_name ?? inside.state_code ?? "The place"} is never reached: ${countryName(exclude.country_code)} is excluded, and an exclude always wins.`,
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
  const everywhere = affinities.filter(
    ({ affinity_type: type }) => type === "lighting" || type === "effects" || type === "camera",
  );
  if (everywhere.length > 0) {
    found.push(
      "Lighting, effects and camera colour every scene that shows the campaign. They add to the score only where the scene's text contains the word.",
    );
  }
  return found;
}
