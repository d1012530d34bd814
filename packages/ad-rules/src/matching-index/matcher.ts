import type { CompiledCampaign } from "../candidates/compiled-campaign.ts";
import type { PreparedRequest } from "../candidates/prepared-request.ts";
import { rankOf } from "../ranking/rank.ts";
import { geoAdmits } from "../rules/geo.ts";
import { isWithinSchedule } from "../rules/schedule.ts";
import { withoutDust } from "../scoring/affinity-score.ts";
import type { Campaign } from "../types/campaign.ts";
import { AffinityTerms } from "./affinity-terms.ts";
import { CampaignTerms, typeSetOf } from "./campaign-terms.ts";
import { PhraseDictionary, type PhraseEntry } from "./phrase-dictionary.ts";
import { RequestFilter } from "./request-filter.ts";
import { Slots } from "./slots.ts";
import type { Tenant } from "./tenant.ts";

/** An eligible campaign in the request at hand. */
export interface Found {
  slot: number;
  campaign: Campaign;
  tenant: Tenant;
  score: number;
  rank: number;
}

/**
 * The active campaigns in the form in which one request at a time is matched with all of them.
 *
 * `open` works out once what the request means to all campaigns: the postings that let them pass and those that block
 * them, and what each affinity contributes. Until `close` single slots and blocks of them can then be judged by a few
 * operations on bits; `judge` does for one slot what bits cannot, and ranks it. Nothing may change in between.
 */
export class Matcher {
  readonly slots: Slots;
  readonly filter: RequestFilter;
  readonly affinities: AffinityTerms;
  readonly #terms: CampaignTerms;
  readonly #phrases = new PhraseDictionary();
  readonly #found: PhraseEntry[] = [];
  /** No campaign has a higher priority. */
  highestPriority = 0;

  constructor(longestList: number) {
    this.slots = new Slots(longestList);
    this.affinities = new AffinityTerms(this.#phrases);
    this.#terms = new CampaignTerms(this.#phrases, this.slots);
    this.filter = new RequestFilter(this.#terms, this.slots);
  }

  /** The campaign's slot; null when there is none because no request could ever match it. */
  add(compiled: CompiledCampaign): number | null {
    if (canNeverServe(compiled)) return null;
    const { source, schedule, geo } = compiled;
    const keywords = compiled.blocklist.keywords.map((keyword) => this.#phrases.acquire(keyword));
    const slot = this.slots.take({
      campaign: source,
      bound: compiled.highestRank,
      affinities: this.affinities.acquire(compiled.affinities),
      keywords,
      schedule: schedule !== null && isBounded(schedule) ? schedule : null,
      geo: [...geo.includes, ...geo.excludes].some((place) => place.type === "radius") ? geo : null,
    });
    this.#terms.add(compiled, slot);
    this.highestPriority = Math.max(this.highestPriority, source.priority);
    return slot;
  }

  /** The campaign must be as it was when it was added. */
  remove(compiled: CompiledCampaign, slot: number): void {
    this.#terms.remove(compiled, slot);
    this.affinities.release(compiled.affinities);
    for (const keyword of this.slots.tenant(slot).keywords) this.#phrases.release(keyword);
    this.slots.free(slot);
  }

  open(request: PreparedRequest): void {
    const { context } = request;
    const inNarrative = this.#phrases.scan(context.allTexts, context.narrative.length, this.#found);
    this.affinities.satisfy(context, this.#found, inNarrative);
    this.filter.set(request, this.#found, inNarrative);
  }

  close(): void {
    this.filter.clear();
    this.affinities.forget();
    this.#found.length = 0;
  }

  /** The campaign of a slot that has passed the filter, unless it fails a rule that bits cannot tell, or ranks lower. */
  judge(slot: number, request: PreparedRequest, lowestRank: number): Found | null {
    const { slots, affinities } = this;
    const { records } = slots;
    if (records.bound(slot) < lowestRank) return null;
    const sum = records.sumOf(slot, affinities.shares);
    const score = sum === null ? affinities.scoreOf(slots.tenant(slot).affinities) : withoutDust(sum);
    const rank = rankOf(records.bidCents(slot), score);
    if (rank < lowestRank) return null;
    const tenant = slots.tenant(slot);
    if (tenant.schedule !== null && !isWithinSchedule(tenant.schedule, request.nowMs)) return null;
    if (this.filter.blocks(slot)) return null;
    for (const keyword of tenant.keywords) if (this.#phrases.wasFound(keyword)) return null;
    if (tenant.geo !== null && !geoAdmits(tenant.geo, request.player)) return null;
    return { slot, campaign: tenant.campaign, tenant, score, rank };
  }
}

function canNeverServe({ source, schedule, geo }: CompiledCampaign): boolean {
  return (
    schedule === null ||
    geo.hasUnreadableExclude ||
    (geo.hasIncludes && geo.includes.length === 0) ||
    typeSetOf(source.creatives.map((creative) => creative.creative_type)) === 0
  );
}

function isBounded({ startsAtMs, endsBeforeMs }: { startsAtMs: number; endsBeforeMs: number }): boolean {
  return Number.isFinite(startsAtMs) || Number.isFinite(endsBeforeMs);
}
