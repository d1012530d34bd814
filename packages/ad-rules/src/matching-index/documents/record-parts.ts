import type { CompiledCampaign } from "../../compiled/compiled-campaign.ts";
import { rangeRules } from "../../rules/all-rules.ts";
import type { Place } from "../../rules/geo.ts";
import type { CompiledAffinity } from "../../scoring/affinity-score.ts";
import type { AffinityType, CreativeType } from "../../types/campaign.ts";
import { type Effect, effects } from "../dictionary/effects.ts";
import { cellsOfCircles } from "../dictionary/radius-cells.ts";
import type { Terms } from "../dictionary/terms.ts";
import { separator } from "../dictionary/text-buffer.ts";
import { circlesOf, isCircle } from "./circles.ts";
import type { RecordParts } from "./records.ts";

const typeBits: Readonly<Record<CreativeType, number>> = {
  narrative_hook: 1,
  product_mention: 2,
  location_brand: 4,
  character_reference: 8,
};
const affinityEffects: Readonly<Partial<Record<AffinityType, Effect>>> = {
  action: effects.affineAction,
  location: effects.affineLocation,
  theme: effects.affineTheme,
  mood: effects.affineMood,
};
const MAX_BOUND = 0x7fff_ffff;

/** The creative types as a bit set. */
export function typeSetOf(types: Iterable<CreativeType>): number {
  let set = 0;
  for (const type of types) set |= typeBits[type] ?? 0;
  return set;
}

/** Whether no request can ever match the campaign. */
export function canNeverServe({ source, schedule, geo }: CompiledCampaign): boolean {
  return (
    source.status !== "active" ||
    schedule === null ||
    geo.hasUnreadableExclude ||
    (geo.hasIncludes && geo.includes.length === 0) ||
    typeSetOf(source.creatives.map((creative) => creative.creative_type)) === 0
  );
}

/** Builds the parts of a record and acquires its terms. The caller must release them when it removes the record. */
export function recordPartsOf(campaign: CompiledCampaign, documentId: number, terms: Terms): RecordParts {
  const { source, affinities, geo, blocklist, names } = campaign;
  const values = (effect: Effect, texts: Iterable<string>) =>
    [...texts].map((text) => terms.acquireValue(effect, text));
  const areaTerms = (places: readonly Place[]) =>
    places.flatMap((place) => (place.type === "radius" ? [] : placeTerm(place, terms)));
  const advertiser = terms.acquireValue(effects.advertiser, names.advertiser);
  const areas = distinct(areaTerms(geo.includes), terms);
  const cells = cellsOfCircles(geo.includes.filter(isCircle)).map((cell) => terms.acquireCell(cell));
  return {
    documentId,
    bidCents: source.cpm_bid_cents,
    bound: Math.min(Math.ceil(campaign.highestRank), MAX_BOUND),
    creativeTypes: typeSetOf(source.creatives.map((creative) => creative.creative_type)),
    priority: source.priority,
    ranges: rangeRules.map((rule) => rule.rangeOf(campaign)),
    circles: circlesOf(geo),
    advertiser,
    weights: affinities.map((affinity) => affinity.weight),
    affinities: affinities.map((affinity) => affinityTerm(affinity, terms)),
    places: ascending([...areas, ...cells]),
    categories: ascending(values(effects.targetCategory, campaign.targetCategories)),
    tags: distinct(
      campaign.targetTags.flatMap(({ value, phrase }) =>
        phrase === null || phrase.trim() === value
          ? terms.acquireBoth(effects.tag, value, effects.tagPhrase, phrase)
          : [terms.acquireValue(effects.tag, value), terms.acquirePhrase(effects.otherTagPhrase, phrase)],
      ),
      terms,
    ),
    blocked: distinct(
      [
        ...values(effects.blockedTheme, blocklist.themes),
        ...values(effects.blockedCategory, blocklist.categories),
        ...values(effects.blockedAction, blocklist.actions),
        ...values(effects.blockedGame, blocklist.gameIds),
        ...blocklist.keywords.map((keyword) => terms.acquirePhrase(effects.keywordPhrase, keyword)),
        ...areaTerms(geo.excludes),
      ],
      terms,
    ),
    blockable: [advertiser, ...values(effects.ownCategory, names.categories)],
  };
}

function ascending(ids: readonly number[]): number[] {
  return ids.toSorted((one, other) => one - other);
}

/** Removes duplicates and releases their extra uses. */
function distinct(ids: readonly number[], terms: Terms): number[] {
  const known = new Set<number>();
  for (const id of ids) {
    if (known.has(id)) terms.release(id);
    else known.add(id);
  }
  return [...known];
}

function affinityTerm({ source, value, phrase }: CompiledAffinity, terms: Terms): number {
  const { affinity_type: type } = source;
  if (type === "category") return terms.acquireValue(effects.affineCategory, value);
  const effect = affinityEffects[type];
  if (effect !== undefined) return terms.acquireBoth(effect, value, effects.affinePhrase, phrase);
  // Looks are searched for by phrase only. A look without a phrase never matches, since no text contains the separator.
  return phrase === null
    ? terms.acquireValue(effects.affineLookPhrase, separator)
    : terms.acquirePhrase(effects.affineLookPhrase, phrase);
}

function placeTerm(place: Exclude<Place, { type: "radius" }>, terms: Terms): number {
  switch (place.type) {
    case "country":
      return terms.acquireValue(effects.country, place.country);
    case "state":
      return terms.acquireJoined(effects.state, place.country, place.state);
    case "city":
      return place.state === null
        ? terms.acquireJoined(effects.city, place.country, place.city)
        : terms.acquireJoined(effects.cityInState, place.country, place.city, place.state);
  }
}
