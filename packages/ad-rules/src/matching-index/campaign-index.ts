import { ShardedMap } from "@diegetic/collections";
import { compileCampaign } from "../compiled/compiled-campaign.ts";
import { comparable } from "../text/equality.ts";
import type { Campaign } from "../types/campaign.ts";
import type { MatchScene, Placement } from "../types/request.ts";
import { CampaignStore } from "./documents/campaign-store.ts";
import type { CampaignIds } from "./documents/packed-campaign.ts";
import { type Found, Matching } from "./matching.ts";
import { type Candidate, candidateOf } from "./search/candidate.ts";
import type { Random } from "./search/tie-sampling.ts";
import type { Span } from "./suppression/refusals.ts";

/** Which campaigns a request is about, beyond the rules. */
export interface Exclusions {
  /** Ids of campaigns to leave out, such as those that the request has tried already. */
  exclude?: Iterable<string> | undefined;
  /** Ids of advertisers to leave out with all their campaigns; a few. */
  excludeAdvertisers?: Iterable<string> | undefined;
}

/** What one draw finds. */
export interface Draw {
  candidate: Candidate | null;
  /** There is none, and one that passes rules 1 to 7 was passed over because it had just lacked money. */
  lackedMoney: boolean;
  /** There is none, and one that passes rules 1 to 7 was passed over because it had just been refused, whatever for. */
  passedOver: boolean;
}

/** Checked in the order of docs/behaviour.md#reasons-for-no-match. */
export type ReasonForNone = "placement_disabled" | "no_campaigns" | "no_eligible_campaign" | "budget";

/** A campaign and its rank. */
export interface Ranked {
  campaign: Campaign;
  rank: number;
}

/**
 * The campaigns of an instance, kept for matching, so that a request costs little however many campaigns cannot win it.
 *
 * - All that campaigns ask for or block are terms; a request activates the flags of those that it has (terms.ts,
 *   request-reader.ts).
 * - Each active campaign is a record of numbers, from which the flags tell whether it may serve and at what rank
 *   (records.ts, scorer.ts).
 * - Records stand at a few of their terms, by bid and by highest possible rank (posting-set.ts), so that a search meets
 *   few that cannot win (search.ts), however many tie (tie-sampling.ts).
 * - What an answer shows of a campaign is bytes until it wins (campaign-store.ts).
 *
 * A change takes effect between two requests, as a whole.
 */
export class CampaignIndex {
  readonly #documentIds = new ShardedMap<number>();
  readonly #store = new CampaignStore();
  readonly #freeDocumentIds: number[] = [];
  #documentCount = 0;
  readonly #matching: Matching;
  readonly #keepsTargets: boolean;
  #activeCount = 0;

  /** @param options.keepsTargets false: `get` and candidates come without targets and blocklists, to save memory */
  constructor({ matching = new Matching(), keepsTargets = true } = {}) {
    this.#matching = matching;
    this.#keepsTargets = keepsTargets;
  }

  /** Campaigns in any status. */
  get size(): number {
    return this.#documentIds.size;
  }

  /** Campaigns whose status is active, whatever their dates. */
  get activeCount(): number {
    return this.#activeCount;
  }

  /** The campaign as it was put in, apart from what is not kept. It must not be changed. */
  get(campaignId: string): Campaign | undefined {
    const documentId = this.#documentIds.get(campaignId);
    return documentId === undefined ? undefined : this.#store.peek(documentId);
  }

  /** A campaign's advertiser and creatives, at a cost that does not depend on the length of its texts. */
  idsOf(campaignId: string): CampaignIds | undefined {
    const documentId = this.#documentIds.get(campaignId);
    return documentId === undefined ? undefined : this.#store.idsAt(documentId);
  }

  /** The version of a campaign, at less cost than `get`. */
  versionOf(campaignId: string): number | undefined {
    const documentId = this.#documentIds.get(campaignId);
    return documentId === undefined ? undefined : this.#store.versionOf(documentId);
  }

  /** Puts a campaign in; it replaces the one with the same id, whatever their versions. */
  upsert(campaign: Campaign): void {
    const compiled = compileCampaign(campaign);
    this.remove(campaign.campaign_id);
    const documentId = this.#freeDocumentIds.pop() ?? this.#documentCount++;
    this.#documentIds.set(campaign.campaign_id, documentId);
    this.#store.put(documentId, this.#keepsTargets ? campaign : withoutTargets(campaign));
    if (campaign.status === "active") this.#activeCount += 1;
    this.#matching.add(compiled, documentId);
  }

  /** Takes a campaign out; unknown ids are ignored. */
  remove(campaignId: string): void {
    const documentId = this.#documentIds.get(campaignId);
    if (documentId === undefined) return;
    if (this.#store.isActive(documentId)) this.#activeCount -= 1;
    this.#matching.remove(documentId);
    this.#documentIds.delete(campaignId);
    this.#store.remove(documentId);
    this.#freeDocumentIds.push(documentId);
  }

  /**
   * Draws the winner of a match request (docs/behaviour.md#matching): one of those within 1 % of the highest rank,
   * with weight priority + 1. `random` yields numbers at least 0 and below 1.
   */
  draw(scene: MatchScene, random: Random, exclusions: Exclusions = {}): Draw {
    return this.#with(scene, exclusions, () => {
      const winner = this.#matching.draw(random);
      if (winner === null) {
        const { lackedMoney, passedOver } = this.#matching;
        return { candidate: null, lackedMoney, passedOver };
      }
      return { candidate: this.#candidateOf(winner, scene), lackedMoney: false, passedOver: false };
    });
  }

  /** The `count` highest ranks, in descending order, money apart: what was refused lately takes part. `count` at least 1. */
  highest(scene: MatchScene, count: number, exclusions: Exclusions = {}): Ranked[] {
    return this.#with(scene, exclusions, () =>
      this.#matching.listHighest(count).map((one) => this.#rankedOf(one)),
    );
  }

  /** All that `draw` chooses from, in no order. */
  ties(scene: MatchScene, exclusions: Exclusions = {}): Ranked[] {
    return this.#with(scene, exclusions, () => this.#matching.listTies().map((one) => this.#rankedOf(one)));
  }

  /** Why `draw` finds nobody, as far as campaigns and placement tell (docs/behaviour.md#reasons-for-no-match). */
  reasonForNone({ is_active: isActive }: Pick<Placement, "is_active">, lackedMoney: boolean): ReasonForNone {
    if (!isActive) return "placement_disabled";
    if (this.#activeCount === 0) return "no_campaigns";
    return lackedMoney ? "budget" : "no_eligible_campaign";
  }

  /** Passes a campaign over for so long, in every request. Unknown ids are ignored. */
  refuse(campaignId: string, { lacksMoney, ...span }: Span & { lacksMoney: boolean }): void {
    const documentId = this.#documentIds.get(campaignId);
    if (documentId !== undefined) this.#matching.refuse(documentId, lacksMoney, span);
  }

  /** Passes over all campaigns of an advertiser whose bid is as high, as lacking money. */
  refuseAdvertiser(advertiserId: string, { bidCents, ...span }: Span & { bidCents: number }): void {
    this.#matching.refuseAdvertiser(comparable(advertiserId), bidCents, span);
  }

  /** Ends `refuseAdvertiser`. */
  readmitAdvertiser(advertiserId: string): void {
    this.#matching.readmitAdvertiser(comparable(advertiserId));
  }

  /**
   * Brings campaigns back into the way of requests that were out of it, because they had ended before the clock went back or
   * because they lacked money: a limited number, some microseconds each. Whether there are more. Each search does it too.
   */
  tidy(nowMs: number): boolean {
    return this.#matching.tidy(nowMs);
  }

  #with<Result>(
    scene: MatchScene,
    { exclude = [], excludeAdvertisers = [] }: Exclusions,
    search: () => Result,
  ): Result {
    const excluded: number[] = [];
    const advertisers: string[] = [];
    for (const id of excludeAdvertisers) advertisers.push(comparable(id));
    for (const id of exclude) {
      const documentId = this.#documentIds.get(id);
      if (documentId !== undefined) excluded.push(documentId);
    }
    try {
      this.#matching.open(scene, excluded, advertisers);
      return search();
    } finally {
      this.#matching.close();
    }
  }

  #candidateOf({ documentId, rank }: Found, { placement }: MatchScene): Candidate {
    const affinityScore = this.#matching.scoreOf(documentId);
    const contributions = affinityScore > 0 ? this.#matching.contributionsOf(documentId) : [];
    return candidateOf(this.#store.get(documentId), placement.placement_types, contributions, {
      affinityScore,
      rank,
    });
  }

  #rankedOf({ documentId, rank }: Found): Ranked {
    return { campaign: this.#store.get(documentId), rank };
  }
}

/** What an answer needs; what decides who may serve stands in the record. */
function withoutTargets(campaign: Campaign): Campaign {
  return { ...campaign, target_categories: [], target_tags: [], geo_targets: [], blocklist: [] };
}
