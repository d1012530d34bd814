import type { RedisConnection } from "../connection.ts";
import { isRedisUnavailable } from "../redis-unavailable.ts";
import {
  createSliceCommands,
  type KnownGrant,
  type SliceCampaign,
  type SliceCommands,
  type SlicedCampaign,
  type SliceReference,
  type SliceReport,
  type TakenPart,
} from "./slices.ts";

const ONLY_A_REPORT = { neededMillicents: 0, wantedMillicents: 0, priceMillicents: 0, isHeld: false };

/** Reports to an advertiser's own wallet what slices spend, and takes back what they were granted. */
export class SliceReports {
  readonly #commands: SliceCommands;

  constructor(commands: SliceCommands) {
    this.#commands = commands;
  }

  /**
   * Writes a campaign's status to the slices, and takes back what limits that were lowered no longer leave. Returns whether all
   * of them are live.
   */
  async apply(campaign: SlicedCampaign, slices: number, settings: SliceCampaign): Promise<boolean> {
    const applied = await Promise.all(
      Array.from({ length: slices - 1 }, (_, index) => {
        const reference = { ...campaign, slice: index + 1 };
        return this.#report(reference, this.#commands.applySlice(reference, settings));
      }),
    );
    return applied.every((excess) => excess !== null) && (await this.takeBackExcess(campaign));
  }

  /** Takes back what slices do not need; their reports then say what they have spent. Returns whether all with money are live. */
  async takeBackUnused(campaign: SlicedCampaign): Promise<boolean> {
    const slices = await this.slicesWithMoney(campaign);
    const taken = await Promise.all(slices.map(([slice]) => this.takeBack({ ...campaign, slice }, "unused")));
    return taken.every((excess) => excess !== null);
  }

  /**
   * After billing has settled a charge in one of the wallets: reports it, because a slice without money makes no other report, and
   * takes back what slices may not spend any more. Returns whether all are live.
   */
  async reportSettlement(campaign: SlicedCampaign, slice: number): Promise<boolean> {
    if (slice > 0 && (await this.takeBack({ ...campaign, slice }, "nothing")) === null) return false;
    return this.takeBackExcess(campaign);
  }

  /**
   * Takes back from slices what limits do not leave them: of the campaign, and where the balance is exceeded, of others. First what
   * they do not need, then also what open holds need. Returns whether all are live. An unreachable slice keeps no other from it: its
   * error is thrown at the end.
   */
  async takeBackExcess(campaign: SlicedCampaign): Promise<boolean> {
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
  async #takeBackExcessOf(campaign: SlicedCampaign, pass: ExcessPass): Promise<number | null> {
    let excess: number | null = null;
    for (const [slice] of await this.slicesWithMoney(campaign)) {
      const after = await pass.calls.run(slice, () =>
        this.#takeBackExcessFrom({ ...campaign, slice }, pass, excess),
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
    const before = excess ?? (await this.takeBack(reference, "nothing"));
    if (before === 0) return 0;
    return this.takeBack(reference, isNeeded && before !== null ? before : "unused");
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

  async #reportSpendingOf(campaign: SlicedCampaign, calls: SliceCalls): Promise<void> {
    const slices = await this.slicesWithMoney(campaign);
    await Promise.all(
      slices.map(([slice, before]) =>
        calls.run(slice, async () => {
          const reference = { ...campaign, slice };
          const report = await this.#commands.takeBack(reference, "nothing");
          const isIdle = report?.heldMillicents === 0 && report.spentMillicents === before.spentMillicents;
          await (isIdle ? this.takeBack(reference, "unused") : this.#report(reference, report));
        }),
      ),
    );
  }

  /** Slices that may spend more than they have reported, or lack money for open holds; each with what is known of it. */
  async slicesWithMoney({ advertiserId, campaignId }: SlicedCampaign): Promise<[number, KnownGrant][]> {
    const grants = await this.#commands.listGrants(advertiserId, campaignId);
    return [...grants].filter(([, grant]) => grant.outstandingMillicents > 0 || grant.lackedMillicents > 0);
  }

  /** Returns by how much what is spent and held exceeds limits then. Null: the slice, or the own wallet, must be restored first. */
  takeBack(reference: SliceReference, part: TakenPart): Promise<number | null> {
    return this.#report(reference, this.#commands.takeBack(reference, part));
  }

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

export function createSliceReports(redis: RedisConnection): SliceReports {
  return new SliceReports(createSliceCommands(redis));
}
