import type { Millicents } from "@diegetic/money";
import type { RedisConnection } from "../connection.ts";
import { isRedisUnavailable } from "../redis-unavailable.ts";
import { SharedRuns } from "../shared-runs.ts";
import type { CommitResult } from "./commit.ts";
import { lacksMoney, type NeededMoney } from "./refusals.ts";
import {
  createSliceCommands,
  type GrantRefusal,
  type KnownGrant,
  type SliceCampaign,
  type SliceCommands,
  type SliceReference,
  type SliceReport,
  type TakenPart,
} from "./slices.ts";

/** A campaign of an advertiser whose wallet has slices. */
export interface SlicedCampaign {
  advertiserId: string;
  campaignId: string;
  /** Slices of the wallet, the advertiser's own included. */
  slices: number;
}

type CampaignOfWallet = Omit<SlicedCampaign, "slices">;

/** A slice asks for this many more of the price, so that grants are few beside matches, and little lies idle. */
const PRICES_PER_GRANT = 256;
/** Campaigns whose grants are collected for one match, at random: so all have their turn. */
const MAX_COLLECTED = 100;
/** Grants that other requests void, or take back, before a request gives up. */
const MAX_LOST_GRANTS = 10;

const ONLY_A_REPORT = { neededMillicents: 0, wantedMillicents: 0, priceMillicents: 0, isHeld: false };

/**
 * Why a slice gets no money. `unknown_wallet`: it, or the advertiser's own wallet, must be restored first. `contended`: other
 * requests took back again and again what it got; nothing says that there is none.
 */
export type ExtendRefusal = GrantRefusal | "unknown_wallet" | "contended";

/** Moves money between an advertiser's own wallet and its slices (docs/behaviour.md#slices-of-a-wallet). */
export class SliceGrants {
  readonly #commands: SliceCommands;
  readonly #collections = new SharedRuns<void>();

  constructor(commands: SliceCommands) {
    this.#commands = commands;
  }

  /** Charges in a slice, once that has the money. `contended`: nothing says that there is none. */
  async commitWithMoney(
    campaign: CampaignOfWallet,
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
  async extend(
    campaign: CampaignOfWallet,
    slice: number,
    needed: NeededMoney,
  ): Promise<ExtendRefusal | null> {
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
  async #takeFromOthers(campaign: CampaignOfWallet, slice: number, refusal: GrantRefusal): Promise<boolean> {
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
      const taken = await ifReachable(this.#takeBack(reference, leftToTake));
      if (taken === undefined) unreachable.add(reference.slice);
      else leftToTake -= outstandingMillicents;
    }
    return leftToTake <= 0;
  }

  /** What other slices reserve of what lacks, of the campaign first: as much as is missing, if there is. */
  async #reservedByOthers(
    { advertiserId, campaignId }: CampaignOfWallet,
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
  collectFor(campaign: CampaignOfWallet, lacking: string): Promise<void> {
    const { advertiserId, campaignId } = campaign;
    if (lacking !== "balance") {
      return this.#collections.run(`${advertiserId} ${campaignId}`, () => this.#collectReachable(campaign));
    }
    return this.#collections.run(advertiserId, async () => {
      const campaignIds = await this.#someWithMoney(campaign);
      await Promise.all(campaignIds.map((id) => this.#collectReachable({ advertiserId, campaignId: id })));
    });
  }

  /** The campaign first, then others of the wallet. */
  async #someWithMoney({ advertiserId, campaignId }: CampaignOfWallet): Promise<string[]> {
    const granted = await this.#commands.sampleGranted(advertiserId, MAX_COLLECTED);
    return [...new Set([campaignId, ...granted])];
  }

  async #collectReachable(campaign: CampaignOfWallet): Promise<void> {
    const slices = await this.#slicesWithMoney(campaign);
    await Promise.all(
      slices.map((slice) => ifReachable(this.#takeBack(referenceOf(campaign, slice), "unused"))),
    );
  }

  /** Asks the advertiser's own wallet again while other requests void what it grants. */
  async #ask(campaign: CampaignOfWallet, slice: number, needed: NeededMoney): Promise<ExtendRefusal | null> {
    for (let tries = 0; tries < MAX_LOST_GRANTS; tries += 1) {
      const answer = await this.#askOnce(referenceOf(campaign, slice), needed);
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

  /**
   * Writes a campaign's status to the slices, and takes back what limits that were lowered no longer leave. Returns whether all
   * of them are live.
   */
  async apply(campaign: SlicedCampaign, settings: SliceCampaign): Promise<boolean> {
    const applied = await Promise.all(
      slicesOf(campaign).map((slice) => {
        const reference = referenceOf(campaign, slice);
        return this.#report(reference, this.#commands.applySlice(reference, settings));
      }),
    );
    return applied.every((excess) => excess !== null) && (await this.takeBackExcess(campaign));
  }

  /** Takes back what slices do not need; their reports then say what they have spent. Returns whether all with money are live. */
  async takeBackUnused(campaign: CampaignOfWallet): Promise<boolean> {
    const slices = await this.#slicesWithMoney(campaign);
    const taken = await Promise.all(
      slices.map((slice) => this.#takeBack(referenceOf(campaign, slice), "unused")),
    );
    return taken.every((excess) => excess !== null);
  }

  /**
   * After billing has settled a charge in one of the wallets: reports it, because a slice without money makes no other report, and
   * takes back what slices may not spend any more. Returns whether all are live.
   */
  async reportSettlement(campaign: CampaignOfWallet, slice: number): Promise<boolean> {
    if (slice > 0 && (await this.#takeBack(referenceOf(campaign, slice), "nothing")) === null) return false;
    return this.takeBackExcess(campaign);
  }

  /**
   * Takes back from slices what limits do not leave them: of the campaign, and where the balance is exceeded, of others. First what
   * they do not need, then also what open holds need. Returns whether all are live. An unreachable slice keeps no other from it: its
   * error is thrown at the end.
   */
  async takeBackExcess(campaign: CampaignOfWallet): Promise<boolean> {
    const { advertiserId } = campaign;
    const pass: ExcessPass = { isNeeded: false, calls: new SliceCalls(), areAllLive: true };
    for (const isNeeded of [false, true]) {
      pass.isNeeded = isNeeded;
      let excess = await this.#takeBackExcessOf(campaign, pass);
      if (excess === 0) break;
      for (const campaignId of await this.#commands.listGranted(advertiserId)) {
        if (excess === 0) break;
        excess = await this.#takeBackExcessOf({ advertiserId, campaignId }, pass);
      }
    }
    pass.calls.throwFirstFailure();
    return pass.areAllLive;
  }

  /** Returns what the excess is then; null: no slice with money of the campaign has answered. */
  async #takeBackExcessOf(campaign: CampaignOfWallet, pass: ExcessPass): Promise<number | null> {
    let excess: number | null = null;
    for (const slice of await this.#slicesWithMoney(campaign)) {
      const after = await pass.calls.run(slice, () =>
        this.#takeBackExcessFrom(referenceOf(campaign, slice), pass, excess),
      );
      if (after === null) pass.areAllLive = false;
      else excess = after ?? excess;
      if (excess === 0) break;
    }
    return excess;
  }

  async #takeBackExcessFrom(
    reference: SliceReference,
    { isNeeded }: ExcessPass,
    excess: number | null,
  ): Promise<number | null> {
    const before = excess ?? (await this.#takeBack(reference, "nothing"));
    if (before === 0) return 0;
    return this.#takeBack(reference, isNeeded && before !== null ? before : "unused");
  }

  /**
   * Reports to an advertiser's own wallet what slices have spent since their last report; those that hold nothing, and have spent
   * nothing since, give back what they have. A failure does not keep other campaigns from it: the first is thrown at the end.
   */
  async reportSpending(advertiserId: string): Promise<void> {
    const calls = new SliceCalls();
    for (const campaignId of await this.#commands.listGranted(advertiserId)) {
      await this.#reportSpendingOf({ advertiserId, campaignId }, calls);
    }
    calls.throwFirstFailure();
  }

  async #reportSpendingOf(campaign: CampaignOfWallet, calls: SliceCalls): Promise<void> {
    const known = await this.#commands.listGrants(campaign.advertiserId, campaign.campaignId);
    const reporting = [...known].filter(([, grant]) => mayReport(grant));
    await Promise.all(
      reporting.map(([slice, before]) =>
        calls.run(slice, async () => {
          const reference = referenceOf(campaign, slice);
          const report = await this.#commands.takeBack(reference, "nothing");
          const isIdle = report?.heldMillicents === 0 && report.spentMillicents === before.spentMillicents;
          await (isIdle ? this.#takeBack(reference, "unused") : this.#report(reference, report));
        }),
      ),
    );
  }

  /** Slices that may spend more than they have reported, or lack money for open holds. */
  async #slicesWithMoney({ advertiserId, campaignId }: CampaignOfWallet): Promise<number[]> {
    const grants = await this.#commands.listGrants(advertiserId, campaignId);
    return [...grants].filter(([, grant]) => mayReport(grant)).map(([slice]) => slice);
  }

  #takeBack(reference: SliceReference, part: TakenPart): Promise<number | null> {
    return this.#report(reference, this.#commands.takeBack(reference, part));
  }

  /** Returns by how much what is spent and held exceeds limits then. Null: the slice, or the own wallet, must be restored first. */
  async #report(
    reference: SliceReference,
    report: SliceReport | null | Promise<SliceReport | null>,
  ): Promise<number | null> {
    const found = await report;
    if (found === null) return null;
    const result = await this.#commands.grant(reference, found, ONLY_A_REPORT);
    return result.outcome === "reported" ? result.excessMillicents : null;
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

interface ExcessPass {
  /** Whether to take back also what open holds need. */
  isNeeded: boolean;
  calls: SliceCalls;
  areAllLive: boolean;
}

/** Calls to slices, none of which keeps others from being made. */
class SliceCalls {
  readonly #failures: unknown[] = [];
  readonly #unreachable = new Set<number>();

  /** Undefined: it failed, or was not made: each call of an unreachable slice could take its whole time limit. */
  async run<Result>(slice: number, call: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#unreachable.has(slice)) return undefined;
    try {
      return await call();
    } catch (error) {
      if (isRedisUnavailable(error)) this.#unreachable.add(slice);
      this.#failures.push(error);
      return undefined;
    }
  }

  throwFirstFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
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

function mayReport({ outstandingMillicents, lackedMillicents }: KnownGrant): boolean {
  return outstandingMillicents > 0 || lackedMillicents > 0;
}

function isForLackOfMoney(refusal: ExtendRefusal | null): refusal is GrantRefusal {
  return refusal !== null && typeof refusal !== "string";
}

function slicesOf({ slices }: SlicedCampaign): number[] {
  return Array.from({ length: slices - 1 }, (_, index) => index + 1);
}

function referenceOf({ advertiserId, campaignId }: CampaignOfWallet, slice: number): SliceReference {
  return { advertiserId, campaignId, slice };
}
