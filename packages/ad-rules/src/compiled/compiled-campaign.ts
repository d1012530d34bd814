import { rankOf } from "../ranking/rank.ts";
import { type Blocklist, compileBlocklist } from "../rules/blocklist.ts";
import { compileGeo, type GeoRules } from "../rules/geo.ts";
import { type BlockableNames, compileBlockableNames } from "../rules/placement.ts";
import { compileSchedule, type Schedule } from "../rules/schedule.ts";
import { compileTags, type Tag } from "../rules/tags.ts";
import { type CompiledAffinity, compileAffinities, highestAffinityScore } from "../scoring/affinity-score.ts";
import { comparableSet } from "../text/equality.ts";
import type { Campaign } from "../types/campaign.ts";

/** A campaign with its texts and dates normalised once, for all requests. */
export interface CompiledCampaign {
  source: Campaign;
  schedule: Schedule;
  names: BlockableNames;
  geo: GeoRules;
  blocklist: Blocklist;
  targetCategories: ReadonlySet<string>;
  targetTags: readonly Tag[];
  affinities: readonly CompiledAffinity[];
  /** Upper bound of its rank in any context. */
  highestRank: number;
}

/** Compiles a campaign in any status. Unreadable dates and places are no errors; they restrict where it serves. */
export function compileCampaign(campaign: Campaign): CompiledCampaign {
  const affinities = compileAffinities(campaign.affinities);
  return {
    source: campaign,
    schedule: compileSchedule(campaign),
    names: compileBlockableNames(campaign),
    geo: compileGeo(campaign.geo_targets),
    blocklist: compileBlocklist(campaign.blocklist),
    targetCategories: comparableSet(campaign.target_categories),
    targetTags: compileTags(campaign.target_tags),
    affinities,
    highestRank: rankOf(campaign.cpm_bid_cents, highestAffinityScore(affinities)),
  };
}
