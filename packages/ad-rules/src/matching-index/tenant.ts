import type { GeoRules } from "../rules/geo.ts";
import type { Schedule } from "../rules/schedule.ts";
import type { Campaign } from "../types/campaign.ts";
import type { WeightedTerms } from "./affinity-terms.ts";
import type { PhraseEntry } from "./phrase-dictionary.ts";

/** What a slot's campaign needs beyond its postings. */
export interface Tenant {
  campaign: Campaign;
  /** The highest rank that any context can give it. */
  bound: number;
  affinities: WeightedTerms;
  /** The keywords that it blocks. */
  keywords: readonly PhraseEntry[];
  /** Null: it runs at any time. */
  schedule: NonNullable<Schedule> | null;
  /** Null: the postings say all about its places. Else it has circles, and the rule itself decides. */
  geo: GeoRules | null;
}
