import { ShardedMap } from "@diegetic/collections";
import { compileCampaign } from "../compiled/compiled-campaign.ts";
import { comparable } from "../text/equality.ts";
import type { Campaign } from "../types/campaign.ts";
import type { MatchScene, Placement, ReasonForNone } from "../types/request.ts";
import { type CampaignIds, CampaignStore } from "./documents/campaign-store.ts";
import { type Found, Matching } from "./matching.ts";
import { type Candidate, candidateOf } from "./search/candidate.ts";
import type { Random } from "./search/tie-sampling.ts";
import type { Span } from "./suppression/refusals.ts";

/** Campaigns that a request leaves out although they may pass the rules. */
interface Exclusions {
  /** Campaign ids, such as those that the request has already tried. */
  exclude?: Iterable<string> | undefined;
  /** Advertiser ids, whose campaigns are all left out. Searched linearly, so keep the list short. */
  excludeAdvertisers?: Iterable<string> | undefined;
}

/** The result of one draw. */
export interface Draw {
  candidate: Candidate | null;
  /**
   * The effort of reading the texts of scene and placement: their length after normalising, and a share of the longer phrases
   * that were looked up. 0: an earlier draw has read them.
   */
  effort: number;
  /** There is no candidate, and a campaign that passes rules 1 to 7 was skipped because it recently lacked money. */
  lackedMoney: boolean;
  /** There is no candidate, and a campaign that passes rules 1 to 7 was skipped because of any recent refusal. */
  passedOver: boolean;
}

export interface Ranked {
  campaign: Campaign;
  rank: number;
}

/**
 * The campaigns of an instance, compiled for matching. README.md follows a request through the index.
 *
 * The cost of a request does not grow with the number of campaigns that cannot win it. A change applies atomically
 * between two requests.
 */
export class CampaignIndex {
  readonly #documentIds = new ShardedMap<number>();
  readonly #store = new CampaignStore();
  readonly #freeDocumentIds: number[] = [];
  #documentCount = 0;
  readonly #matching: Matching;
  readonly #keepsTargets: boolean;

  /**
   * @param options.hashSeed a secret random integer of 32 bits: with a known one, an advertiser can prepare texts that make
   *   changes slow. Default: 0, for tests
   * @param options.keepsTargets false saves memory: candidates lack targets and blocklists
   */
  constructor({ hashSeed = 0, matching = new Matching(hashSeed), keepsTargets = true } = {}) {
    this.#matching = matching;
    this.#keepsTargets = keepsTargets;
  }

  /** Campaigns in any status. */
  get size(): number {
    return this.#documentIds.size;
  }

  /** Campaigns whose status is active, whatever their dates. */
  get activeCount(): number {
    return this.#store.activeCount;
  }

  /** The ids of a campaign's advertiser and creatives. The cost does not depend on the length of its texts. */
  idsOf(campaignId: string): CampaignIds | undefined {
    const documentId = this.#documentIds.get(campaignId);
    return documentId === undefined ? undefined : this.#store.idsAt(documentId);
  }

  versionOf(campaignId: string): number | undefined {
    const documentId = this.#documentIds.get(campaignId);
    return documentId === undefined ? undefined : this.#store.versionOf(documentId);
  }

  /** Replaces the campaign with the same id; versions are not compared. */
  upsert(campaign: Campaign): void {
    const compiled = compileCampaign(campaign);
    const known = this.#documentIds.get(campaign.campaign_id);
    if (known !== undefined) this.#store.remove(known);
    const documentId = known ?? this.#freeDocumentIds.pop() ?? this.#documentCount++;
    this.#documentIds.set(campaign.campaign_id, documentId);
    this.#store.put(documentId, this.#keepsTargets ? campaign : withoutTargets(campaign));
    this.#matching.put(compiled, documentId);
  }

  /** Ignores unknown ids. */
  remove(campaignId: string): void {
    const documentId = this.#documentIds.get(campaignId);
    if (documentId === undefined) return;
    this.#store.remove(documentId);
    this.#matching.remove(documentId);
    this.#documentIds.delete(campaignId);
    this.#freeDocumentIds.push(documentId);
  }

  /**
   * Draws the winner of a match request among the candidates within 1 % of the highest rank, with weight priority + 1
   * (docs/behaviour.md#matching). `random` returns numbers in [0, 1).
   */
  draw(scene: MatchScene, random: Random, exclusions: Exclusions = {}): Draw {
    return this.#with(scene, exclusions, () => {
      const winner = this.#matching.draw(random);
      const { effort } = this.#matching;
      if (winner === null) {
        const { lackedMoney, passedOver } = this.#matching;
        return { candidate: null, effort, lackedMoney, passedOver };
      }
      return { candidate: this.#candidateOf(winner, scene), effort, lackedMoney: false, passedOver: false };
    });
  }

  /** The `count` highest ranks (at least 1) in descending order. Includes recently refused campaigns. */
  highest(scene: MatchScene, count: number, exclusions: Exclusions = {}): Ranked[] {
    return this.#with(scene, exclusions, () =>
      this.#matching.listHighest(count).map((one) => this.#rankedOf(one)),
    );
  }

  /** The campaigns that `draw` chooses from, in no order. */
  ties(scene: MatchScene, exclusions: Exclusions = {}): Ranked[] {
    return this.#with(scene, exclusions, () => this.#matching.listTies().map((one) => this.#rankedOf(one)));
  }

  /** Why `draw` finds no candidate; session caps are not considered (docs/behaviour.md#reasons-for-no-match). */
  reasonForNone({ is_active: isActive }: Pick<Placement, "is_active">, lackedMoney: boolean): ReasonForNone {
    if (!isActive) return "placement_disabled";
    if (this.activeCount === 0) return "no_campaigns";
    return lackedMoney ? "budget" : "no_eligible_campaign";
  }

  /** Skips a campaign in all requests during the span. Ignores unknown ids. */
  refuse(campaignId: string, { lacksMoney, ...span }: Span & { lacksMoney: boolean }): void {
    const documentId = this.#documentIds.get(campaignId);
    if (documentId !== undefined) this.#matching.refuse(documentId, lacksMoney, span);
  }

  /** Skips the campaigns of an advertiser that bid at least `bidCents`, as lacking money. */
  refuseAdvertiser(advertiserId: string, { bidCents, ...span }: Span & { bidCents: number }): void {
    this.#matching.refuseAdvertiser(comparable(advertiserId), bidCents, span);
  }

  /** Ends `refuseAdvertiser`. */
  readmitAdvertiser(advertiserId: string): void {
    this.#matching.readmitAdvertiser(comparable(advertiserId));
  }

  /**
   * Restores suppressed campaigns to the searched posting lists: those whose refusal has ended, and those that have not
   * ended after all because the clock was set back. Restores a limited number per call (some microseconds each) and
   * returns whether more remain. Each search does this too.
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

/** Keeps what a response needs; matching reads targets from the record. */
function withoutTargets(campaign: Campaign): Campaign {
  return { ...campaign, target_categories: [], target_tags: [], geo_targets: [], blocklist: [] };
}
