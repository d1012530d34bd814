import type { CompiledCampaign } from "../candidates/compiled-campaign.ts";
import type { Place } from "../rules/geo.ts";
import type { Tag } from "../rules/tags.ts";
import type { Phrase } from "../text/words.ts";
import type { CreativeType } from "../types/campaign.ts";
import type { PhraseDictionary } from "./phrase-dictionary.ts";
import { KeywordTable, TagTable } from "./phrase-terms.ts";
import type { Capacity } from "./posting.ts";
import { PostingTable, type TermTable } from "./posting-table.ts";
import { cellsOfCircle } from "./radius-cells.ts";

const typeBits: Readonly<Record<CreativeType, number>> = {
  narrative_hook: 1,
  product_mention: 2,
  location_brand: 4,
  character_reference: 8,
};

/** The creative types as a number, for `CampaignTerms.typeSets`. */
export function typeSetOf(types: Iterable<CreativeType>): number {
  let set = 0;
  for (const type of types) set |= typeBits[type] ?? 0;
  return set;
}

/** "Any" in tables whose keys are texts of campaigns or requests, which are never empty. */
export const any = "";

/** Keys of places. Lengths stand in them, so that no two places have the same key, whatever their names contain. */
export function countryKey(country: string): string {
  return `n${country}`;
}
export function stateKey(country: string, state: string): string {
  return `s${country.length}:${country}${state}`;
}
export function cityKey(country: string, city: string): string {
  return `c${country.length}:${country}${city}`;
}
export function cityInStateKey(country: string, state: string, city: string): string {
  return `d${country.length},${state.length}:${country}${state}${city}`;
}
/** The key of circles that touch too many cells; not the number of a cell. */
export const anyCell = -1;

/**
 * By what campaigns are posted. A request's terms name the postings of which a candidate must be in at least one per rule
 * (types, places, categories, tags) and those of which it must be in none (blocked).
 */
export class CampaignTerms {
  /** By every set of creative types that has one of the campaign's. */
  readonly typeSets: PostingTable<number>;
  /** By the places of its includes, or `any` when it has none. */
  readonly includes: PostingTable<string>;
  /** By the cells that the circles among its includes touch. */
  readonly includedCells: PostingTable<number>;
  /** By its target_categories, or `any` when it has none. */
  readonly categories: PostingTable<string>;
  /** By its target_tags; those without any are in `untagged`. */
  readonly tags: TagTable;
  readonly untagged: PostingTable<typeof any>;
  readonly blocked: {
    readonly advertisers: PostingTable<string>;
    /** What a placement may block it by. */
    readonly names: PostingTable<string>;
    readonly excludes: PostingTable<string>;
    readonly themes: PostingTable<string>;
    readonly categories: PostingTable<string>;
    readonly actions: PostingTable<string>;
    readonly gameIds: PostingTable<string>;
    readonly keywords: KeywordTable;
  };

  constructor(phrases: PhraseDictionary, capacity: Capacity) {
    const table = <Key>() => new PostingTable<Key>(capacity);
    this.typeSets = table();
    this.includes = table();
    this.includedCells = table();
    this.categories = table();
    this.tags = new TagTable(phrases, capacity);
    this.untagged = table();
    this.blocked = {
      advertisers: table(),
      names: table(),
      excludes: table(),
      themes: table(),
      categories: table(),
      actions: table(),
      gameIds: table(),
      keywords: new KeywordTable(phrases, capacity),
    };
  }

  add(campaign: CompiledCampaign, slot: number): void {
    this.#visit(campaign, (table, term) => table.add(term, slot));
  }

  /** The campaign must be as it was when it was added. */
  remove(campaign: CompiledCampaign, slot: number): void {
    this.#visit(campaign, (table, term) => table.remove(term, slot));
  }

  /** Every term of the campaign with its table; equal terms of one campaign may come twice. */
  #visit(campaign: CompiledCampaign, visit: <Term>(table: TermTable<Term>, term: Term) => void): void {
    const each = <Term>(table: TermTable<Term>, terms: Iterable<Term>) => {
      for (const term of terms) visit(table, term);
    };
    const { blocked } = this;
    const own = typeSetOf(campaign.source.creatives.map((creative) => creative.creative_type));
    for (let set = 1; set < 16; set += 1) if ((set & own) !== 0) visit(this.typeSets, set);
    if (!campaign.geo.hasIncludes) visit(this.includes, any);
    for (const place of campaign.geo.includes) {
      if (place.type !== "radius") visit(this.includes, keyOf(place));
      else each(this.includedCells, cellsOfCircle(place.center, place.radiusKm) ?? [anyCell]);
    }
    for (const place of campaign.geo.excludes) {
      if (place.type !== "radius") visit(blocked.excludes, keyOf(place));
    }
    each(this.categories, campaign.targetCategories.size === 0 ? [any] : campaign.targetCategories);
    if (campaign.targetTags.length === 0) visit(this.untagged, any);
    each<Tag>(this.tags, campaign.targetTags);
    visit(blocked.advertisers, campaign.names.advertiser);
    each(blocked.names, campaign.names.categories);
    each(blocked.themes, campaign.blocklist.themes);
    each(blocked.categories, campaign.blocklist.categories);
    each(blocked.actions, campaign.blocklist.actions);
    each(blocked.gameIds, campaign.blocklist.gameIds);
    each<Phrase>(blocked.keywords, campaign.blocklist.keywords);
  }
}

function keyOf(place: Exclude<Place, { type: "radius" }>): string {
  switch (place.type) {
    case "country":
      return countryKey(place.country);
    case "state":
      return stateKey(place.country, place.state);
    case "city":
      return place.state === null
        ? cityKey(place.country, place.city)
        : cityInStateKey(place.country, place.state, place.city);
  }
}
