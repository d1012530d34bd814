import { SharedRuns } from "@diegetic/collections";
import type { Millicents } from "@diegetic/money";
import type { RedisConnection } from "../connection.ts";
import { isRedisUnavailable } from "../redis-unavailable.ts";
import type { CommitResult } from "./commit.ts";
import { lacksMoney, type NeededMoney } from "./refusals.ts";
import { SliceReports } from "./slice-reports.ts";
import {
  createSliceCommands,
  type GrantRefusal,
  type SliceCommands,
  type SlicedCampaign,
  type SliceReference,
} from "./slices.ts";

/** A slice asks for this many more of the price, so that grants are few beside matches, and little lies idle. */
const PRICES_PER_GRANT = 256;
/** Campaigns whose grants are collected for one match, at random: so all have their turn. */
const MAX_COLLECTED = 100;
/** Grants that other requests void, or take back, before a request gives up. */
const MAX_LOST_GRANTS = 10;

/**
 * Why a slice gets no money. `unknown_wallet`: it, or the advertiser's own wallet, must be restored first. `contended`: other
 * requests took back again and again what it got; nothing says that there is none.
 */
export type ExtendRefusal = GrantRefusal | "unknown_wallet" | "contended";

/** Gets slices money from the advertiser's own wallet (docs/behaviour.md#slices-of-a-wallet). */
export class SliceGrants {
  readonly #commands: SliceCommands;
  readonly #reports: SliceReports;
  readonly #collections = new SharedRuns<void>();

  constructor(commands: SliceCommands) {
    this.#commands = commands;
    this.#reports = new SliceReports(commands);
  }

  /** Charges in a slice, once that has the money. `contended`: nothing says that there is none. */
  async commitWithMoney(
    campaign: SlicedCampaign,
    slice: number,
    commit: () => Promise<CommitResult>,
  ): Promise<CommitResult | "contended"> {
    for (let tries = 0; tries < MAX_LOST_GRANTS; tries += 1) {
      const result = await commit();
      if (!lacksMoney(result)) return result;
      if (result.lacks === undefined) {
        await this.collectFor(campaign, result.reason);
        return commit();
      }
      const refusal = await this.extend(campaign, slice, result.lacks);
      if (refusal === "unknown_wallet") return { outcome: "refused", reason: refusal };
      if (isForLackOfMoney(refusal)) {
        // A repeated request may have been charged meanwhile.
        const last = await commit();
        return lacksMoney(last) ? { outcome: "refused", reason: refusal.reason } : last;
      }
    }
    return "contended";
  }

  /**
   * Gets a slice the money for a match. Where too little is left, takes back first what no slice needs; then, for an open hold,
   * what others reserve for theirs: whose impression comes first is charged. Null: the slice has it.
   */
  async extend(campaign: SlicedCampaign, slice: number, needed: NeededMoney): Promise<ExtendRefusal | null> {
    const first = await this.#ask(campaign, slice, needed);
    if (!isForLackOfMoney(first)) return first;
    await this.collectFor(campaign, first.reason);
    for (let tries = 0; tries < MAX_LOST_GRANTS; tries += 1) {
      const refusal = await this.#ask(campaign, slice, needed);
      if (!needed.isHeld || !isForLackOfMoney(refusal)) return refusal;
      if (!(await this.#takeFromOthers(campaign, slice, refusal))) return refusal;
    }
    return "contended";
  }

  /**
   * Takes back what is missing from what other slices reserve, if that is enough. Returns whether they have given it: to this
   * request, or to others at the same time.
   */
  async #takeFromOthers(campaign: SlicedCampaign, slice: number, refusal: GrantRefusal): Promise<boolean> {
    const { missingMillicents, missingInCampaignMillicents } = refusal;
    // The campaign's day is too far ahead.
    if (missingMillicents <= 0) return false;
    const others = await this.#reservedByOthers(campaign, slice, refusal);
    const ofCampaign = others.filter(({ reference }) => reference.campaignId === campaign.campaignId);
    if (sumOf(others) < missingMillicents || sumOf(ofCampaign) < missingInCampaignMillicents) return false;
    const unreachable = new Set<number>();
    let leftToTake = missingMillicents;
    for (const { reference, outstandingMillicents } of others) {
      if (leftToTake <= 0) break;
      if (unreachable.has(reference.slice)) continue;
      const taken = await ifReachable(this.#reports.takeBack(reference, leftToTake));
      if (taken === undefined) unreachable.add(reference.slice);
      else leftToTake -= outstandingMillicents;
    }
    return leftToTake <= 0;
  }

  /** What other slices reserve of what lacks, of the campaign first: as much as is missing, if there is. */
  async #reservedByOthers(
    { advertiserId, campaignId }: SlicedCampaign,
    slice: number,
    { reason, missingMillicents }: GrantRefusal,
  ): Promise<Reserved[]> {
    const more = reason === "balance" ? await this.#commands.listGranted(advertiserId) : [];
    const others: Reserved[] = [];
    for (const id of new Set([campaignId, ...more])) {
      if (sumOf(others) >= missingMillicents) break;
      for (const [other, { outstandingMillicents }] of await this.#commands.listGrants(advertiserId, id)) {
        if (outstandingMillicents <= 0 || (other === slice && id === campaignId)) continue;
        others.push({ reference: { advertiserId, campaignId: id, slice: other }, outstandingMillicents });
      }
    }
    return others;
  }

  /**
   * Takes back what slices do not need of what lacks: of the balance in all campaigns. A slice that cannot be reached gives nothing
   * back.
   */
  collectFor(campaign: SlicedCampaign, lacking: string): Promise<void> {
    const { advertiserId, campaignId } = campaign;
    if (lacking !== "balance") {
      return this.#collections.run(`${advertiserId} ${campaignId}`, () => this.#collectReachable(campaign));
    }
    return this.#collections.run(advertiserId, async () => {
      const others = await this.#commands.sampleGranted(advertiserId, MAX_COLLECTED);
      const campaignIds = [...new Set([campaignId, ...others])];
      await Promise.all(campaignIds.map((id) => this.#collectReachable({ advertiserId, campaignId: id })));
    });
  }

  async #collectReachable(campaign: SlicedCampaign): Promise<void> {
    const slices = await this.#reports.slicesWithMoney(campaign);
    await Promise.all(
      slices.map(([slice]) => ifReachable(this.#reports.takeBack({ ...campaign, slice }, "unused"))),
    );
  }

  /** Asks the advertiser's own wallet again while other requests void what it grants. */
  async #ask(campaign: SlicedCampaign, slice: number, needed: NeededMoney): Promise<ExtendRefusal | null> {
    for (let tries = 0; tries < MAX_LOST_GRANTS; tries += 1) {
      const answer = await this.#askOnce({ ...campaign, slice }, needed);
      if (answer !== "void") return answer;
    }
    return "contended";
  }

  async #askOnce(
    reference: SliceReference,
    { priceMillicents, isHeld }: NeededMoney,
  ): Promise<ExtendRefusal | "void" | null> {
    const report = await this.#commands.takeBack(reference, "nothing");
    if (report === null) return "unknown_wallet";
    const { grantedMillicents, spentMillicents, heldMillicents } = report;
    const leftMillicents = grantedMillicents - spentMillicents;
    const lackedMillicents = (isHeld ? 0 : heldMillicents) + priceMillicents - leftMillicents;
    // Another request has got it money.
    if (isHeld && lackedMillicents <= 0) return null;
    // A slice that lacks nothing asks what one developer may hold half of.
    const neededMillicents = Math.max(lackedMillicents, 0);
    const moreMillicents = lackedMillicents > 0 ? PRICES_PER_GRANT * priceMillicents : 0;
    const result = await this.#commands.grant(reference, report, {
      neededMillicents,
      wantedMillicents: neededMillicents + moreMillicents,
      priceMillicents,
      isHeld,
    });
    if (result.outcome === "refused") {
      const { outcome: _, ...refusal } = result;
      return refusal;
    }
    if (result.outcome !== "granted") return "unknown_wallet";
    const accepted = await this.#commands.acceptGrant(reference, result.grant);
    return accepted === "accepted" ? null : "void";
  }
}

/** What a slice may still spend of a campaign. */
interface Reserved {
  reference: SliceReference;
  outstandingMillicents: Millicents;
}

function sumOf(reserved: readonly Reserved[]): Millicents {
  return reserved.reduce((sum, { outstandingMillicents }) => sum + outstandingMillicents, 0);
}

export function createSliceGrants(redis: RedisConnection): SliceGrants {
  return new SliceGrants(createSliceCommands(redis));
}

/** Undefined when the slice is unreachable or must be restored first: nothing can be taken back now. */
async function ifReachable(taking: Promise<number | null>): Promise<number | undefined> {
  try {
    return (await taking) ?? undefined;
  } catch (error) {
    if (isRedisUnavailable(error)) return undefined;
    throw error;
  }
}

function isForLackOfMoney(refusal: ExtendRefusal | null): refusal is GrantRefusal {
  return refusal !== null && typeof refusal !== "string";
}
