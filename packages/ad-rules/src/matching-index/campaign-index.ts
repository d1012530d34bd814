import { compileCampaign } from "../candidates/compiled-campaign.ts";
import type { PreparedRequest } from "../candidates/prepared-request.ts";
import type { Campaign } from "../types/campaign.ts";
import { byRank, drawAll, drawSampled, type Random } from "./draws.ts";
import { type Found, Matcher } from "./matcher.ts";
import { Scan, type ScanOptions } from "./scan.ts";

/** What one request finds in the index. */
export interface Search {
  /** The highest rank among those found; null when there are none. */
  highestRank: number | null;
  /** There are none only because `skip` left out all that were eligible. */
  allSkipped: boolean;
}

/** Makes of a campaign that was found what the caller needs, while the request is at hand. */
export type Present<Result> = (found: Found, matcher: Matcher) => Result;

/**
 * The campaigns of an instance, kept for matching, so that a request costs little however many campaigns cannot win it.
 *
 * - Each active campaign has a slot; slots are in words of 32, and words are in the order of the highest rank that their
 *   campaigns can reach (slots.ts).
 * - For each term of each rule (a country, a category, a blocked keyword …) a posting tells which slots have it, as bits
 *   or as a short list (posting.ts, campaign-terms.ts).
 * - A request looks its own terms up, and its text's by one scan (phrase-dictionary.ts); the slots that pass are then
 *   unions and differences of a few postings, 32 slots at a time (request-filter.ts).
 * - The walk goes from the top down and ends where nothing below can tie with what is found (scan.ts). Schedules and
 *   circles are checked, and scores summed, only for slots that pass and can still take part (matcher.ts).
 * - Of very many ties winners are drawn without looking at all of them (draws.ts).
 *
 * A change takes effect between two requests, as a whole. A campaign that is put in must not be changed afterwards; put
 * in a new one instead. `skip` must not use the index.
 */
export class CampaignIndex {
  readonly #campaigns = new Map<string, Campaign>();
  /** Of the active campaigns; null: nothing can match it. */
  readonly #slots = new Map<string, number | null>();
  readonly #matcher: Matcher;

  /** @param longestList a term that more campaigns have is kept as bits; measured to be best at the default. */
  constructor(longestList = 128) {
    this.#matcher = new Matcher(longestList);
  }

  /** Campaigns in any status. */
  get size(): number {
    return this.#campaigns.size;
  }

  /** Campaigns whose status is active, whatever their dates. */
  get activeCount(): number {
    return this.#slots.size;
  }

  /** The campaign as it was put in. */
  get(campaignId: string): Campaign | undefined {
    return this.#campaigns.get(campaignId);
  }

  /** Puts a campaign in; it replaces the one with the same id, whatever their versions. */
  upsert(campaign: Campaign): void {
    const compiled = campaign.status === "active" ? compileCampaign(campaign) : null;
    this.remove(campaign.campaign_id);
    this.#campaigns.set(campaign.campaign_id, campaign);
    if (compiled !== null) this.#slots.set(campaign.campaign_id, this.#matcher.add(compiled));
  }

  /** Takes a campaign out; unknown ids are ignored. */
  remove(campaignId: string): void {
    const campaign = this.#campaigns.get(campaignId);
    if (campaign === undefined) return;
    const slot = this.#slots.get(campaignId);
    this.#campaigns.delete(campaignId);
    this.#slots.delete(campaignId);
    if (slot !== undefined && slot !== null) this.#matcher.remove(compileCampaign(campaign), slot);
  }

  /**
   * The `limit` of highest rank and all that tie with the last of them, in descending order of rank. Throws RangeError
   * for a limit below 1.
   */
  select<Result>(
    request: PreparedRequest,
    options: ScanOptions,
    present: Present<Result>,
  ): Search & { results: Result[] } {
    return this.#search(request, new Scan(this.#matcher, request, options), present, (scan) =>
      scan.run(false).found.sort(byRank),
    );
  }

  /** Up to `limit` winners in the order in which they are drawn. Throws RangeError for a limit below 1. */
  draw<Result>(
    request: PreparedRequest,
    options: ScanOptions,
    random: Random,
    present: Present<Result>,
  ): Search & { results: Result[] } {
    return this.#search(request, new Scan(this.#matcher, request, options), present, (scan) =>
      scan.run(true).complete
        ? drawAll(scan.found.sort(byRank), options.limit, random)
        : drawSampled(this.#matcher, request, scan, options, random),
    );
  }

  #search<Result>(
    request: PreparedRequest,
    scan: Scan,
    present: Present<Result>,
    choose: (scan: Scan) => Found[],
  ): Search & { results: Result[] } {
    if (!request.placement.isActive) return { highestRank: null, allSkipped: false, results: [] };
    this.#matcher.open(request);
    try {
      const results = choose(scan).map((found) => present(found, this.#matcher));
      const noneFound = results.length === 0;
      return {
        highestRank: noneFound ? null : scan.highestRank,
        allSkipped: noneFound && scan.anySkipped,
        results,
      };
    } finally {
      this.#matcher.close();
    }
  }
}
