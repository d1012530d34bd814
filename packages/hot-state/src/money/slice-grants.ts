import type { RedisConnection } from "../connection.ts";
import {
  createSliceCommands,
  type GrantRefusal,
  type ReturnedPart,
  type SliceCampaign,
  type SliceCommands,
  type SliceReference,
  type SliceReport,
} from "./slices.ts";
import type { NeededMoney } from "./types.ts";

/** A campaign of an advertiser whose wallet has slices. */
export interface SlicedCampaign {
  advertiserId: string;
  campaignId: string;
  /** Slices of the wallet, the advertiser's own included. */
  slices: number;
}

/** A slice asks for this many more of the price, so that grants are few beside matches, and little lies idle. */
const PRICES_PER_GRANT = 256;

/** Campaigns whose grants are collected for one match. */
const MAX_COLLECTED = 100;

/** Why a slice gets no money. `unknown_wallet`: it, or the advertiser's own wallet, must be restored first. */
export type ExtendRefusal = GrantRefusal | "unknown_wallet";

/** Moves money between an advertiser's own wallet and its slices (docs/behaviour.md#slices-of-a-wallet). */
export class SliceGrants {
  readonly #commands: SliceCommands;

  constructor(commands: SliceCommands) {
    this.#commands = commands;
  }

  /** Gets a slice the money for a match; where too little is left, first what all slices have not spent. Null: it has it. */
  async extend(campaign: SlicedCampaign, slice: number, needed: NeededMoney): Promise<ExtendRefusal | null> {
    const first = await this.#extendOnce(campaign, slice, needed);
    if (first === null || first === "unknown_wallet") return first;
    await this.collectFor(campaign, first.reason);
    return this.#extendOnce(campaign, slice, needed);
  }

  /** Collects what slices do not need of what lacks: of the balance in all campaigns. */
  async collectFor(campaign: SlicedCampaign, lacking: string): Promise<void> {
    const campaignIds =
      lacking === "balance" ? await this.#commands.listGranted(campaign.advertiserId) : [campaign.campaignId];
    const some = campaignIds.slice(0, MAX_COLLECTED);
    await Promise.all(some.map((campaignId) => this.collect({ ...campaign, campaignId }, "unused")));
  }

  async #extendOnce(
    campaign: SlicedCampaign,
    slice: number,
    { priceMillicents, isHeld }: NeededMoney,
  ): Promise<ExtendRefusal | null> {
    const reference = referenceOf(campaign, slice);
    const report = await this.#commands.reportSlice(reference, "nothing");
    if (report === null) return "unknown_wallet";
    const { grantedMillicents, spentMillicents, heldMillicents } = report;
    // What late charges spent beyond its grants is counted already.
    const leftMillicents = Math.max(grantedMillicents - spentMillicents, 0);
    const lackedMillicents = (isHeld ? 0 : heldMillicents) + priceMillicents - leftMillicents;
    // A slice that lacks nothing gets least: another request has got it money, or one developer holds half of its part.
    const neededMillicents = Math.max(1, lackedMillicents);
    const moreMillicents = lackedMillicents > 0 ? PRICES_PER_GRANT * priceMillicents : 0;
    const result = await this.#commands.grant(reference, report, {
      neededMillicents,
      wantedMillicents: neededMillicents + moreMillicents,
      priceMillicents,
    });
    if (result.outcome === "refused") return { reason: result.reason, lasts: result.lasts };
    if (result.outcome !== "granted") return "unknown_wallet";
    const accepted = await this.#commands.acceptGrant(reference, result.grant);
    // Void: another request has collected what slices had.
    return accepted === "accepted" ? null : { reason: "budget", lasts: null };
  }

  /**
   * Reports to the advertiser's own wallet what slices have spent, once they have given back a part of what they have not.
   * Returns whether all of them did.
   */
  collect(campaign: SlicedCampaign, returned: ReturnedPart): Promise<boolean> {
    return this.#report(campaign, slicesOf(campaign), (reference) =>
      this.#commands.reportSlice(reference, returned),
    );
  }

  /** As `collect`, of one slice that has given nothing back. */
  reportOne(campaign: SlicedCampaign, slice: number): Promise<boolean> {
    return this.#report(campaign, [slice], (reference) => this.#commands.reportSlice(reference, "nothing"));
  }

  /**
   * Writes a campaign's status to the slices; what they have not spent was granted under earlier limits, and goes back. Returns
   * whether all of them did.
   */
  apply(campaign: SlicedCampaign, settings: SliceCampaign): Promise<boolean> {
    return this.#report(campaign, slicesOf(campaign), (reference) =>
      this.#commands.applySlice(reference, settings),
    );
  }

  /**
   * Reports to an advertiser's own wallet what slices with money have spent since their last report; those that have spent and
   * hold nothing give it back. Returns whether all of them did.
   */
  async reportSpending({ advertiserId, slices }: Omit<SlicedCampaign, "campaignId">): Promise<boolean> {
    const campaignIds = await this.#commands.listGranted(advertiserId);
    let isDone = true;
    for (const campaignId of campaignIds) {
      isDone = (await this.#reportCampaign({ advertiserId, campaignId, slices })) && isDone;
    }
    return isDone;
  }

  async #reportCampaign(campaign: SlicedCampaign): Promise<boolean> {
    const known = await this.#commands.listGrants(campaign.advertiserId, campaign.campaignId);
    return this.#report(campaign, [...known.keys()], async (reference) => {
      const before = known.get(reference.slice);
      const report = await this.#commands.reportSlice(reference, "nothing");
      const isIdle = report?.heldMillicents === 0 && report.spentMillicents === before?.spentMillicents;
      const mayReturn = isIdle && before.outstandingMillicents > 0;
      return mayReturn ? this.#commands.reportSlice(reference, "unused") : report;
    });
  }

  async #report(
    campaign: SlicedCampaign,
    slices: readonly number[],
    reportOf: (reference: SliceReference) => Promise<SliceReport | null>,
  ): Promise<boolean> {
    const nothing = { neededMillicents: 0, wantedMillicents: 0, priceMillicents: 0 };
    const done = await Promise.all(
      slices.map(async (slice) => {
        const reference = referenceOf(campaign, slice);
        const report = await reportOf(reference);
        if (report === null) return false;
        return (await this.#commands.grant(reference, report, nothing)).outcome === "reported";
      }),
    );
    return done.every(Boolean);
  }
}

export function createSliceGrants(redis: RedisConnection): SliceGrants {
  return new SliceGrants(createSliceCommands(redis));
}

function slicesOf({ slices }: SlicedCampaign): number[] {
  return Array.from({ length: slices - 1 }, (_, index) => index + 1);
}

function referenceOf({ advertiserId, campaignId }: SlicedCampaign, slice: number): SliceReference {
  return { advertiserId, campaignId, slice };
}
