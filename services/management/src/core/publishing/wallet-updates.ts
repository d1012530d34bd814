import { DatabaseUnavailable, type Statements, safeInteger, utcDay } from "@diegetic/database";
import {
  type CampaignState,
  isRedisUnavailable,
  type MoneyCommands,
  type SnapshotEntry,
} from "@diegetic/hot-state";
import { centsToMillicents } from "@diegetic/money";
import type { WholeCampaign } from "../campaign-rows/statements.ts";
import type { WalletRecovery } from "../wallet-recovery/wallet-recovery.ts";
import { advertiserEntry, campaignEntry } from "./entities.ts";
import type { GroupOutcome } from "./publication-groups.ts";
import { lockCampaigns, type PublishedStores, spentOnDay } from "./published-rows.ts";

/** Maximum attempts to write a row into Redis. Each retry follows a restore that left nothing frozen. */
const MAX_APPLY_ATTEMPTS = 5;

export interface WalletUpdatesParts extends PublishedStores {
  wallets: Pick<MoneyCommands, "applyAccount" | "applyCampaign">;
  recovery: Pick<WalletRecovery, "restoreFrozen">;
  nowMs: () => number;
}

/** What Redis has accepted of some rows. */
export interface Prepared {
  entries: SnapshotEntry[];
  rows: { id: string; version: number }[];
  /** Rows that Redis has not accepted: publishable, but not counted as published. */
  pending: SnapshotEntry[];
  /** Why Redis was unavailable for some of them. */
  unavailableCause?: unknown;
}

/** A row, and whether its wallet is at least as new. */
interface AppliedRow {
  row: { id: string; version: number };
  entry: SnapshotEntry;
  advertiserId: string;
  isApplied: boolean;
  /** Why Redis was unavailable; undefined: it was not. */
  unavailableCause?: unknown;
}

/** Applies rows of Postgres to the wallets of their advertisers. */
export class WalletUpdates {
  readonly #parts: WalletUpdatesParts;
  readonly #maxLockWaitMs: number;

  /** @param maxLockWaitMs how long it waits for a row that another transaction has locked */
  constructor(parts: WalletUpdatesParts, maxLockWaitMs: number) {
    this.#parts = parts;
    this.#maxLockWaitMs = maxLockWaitMs;
  }

  /** Applies locked campaigns once. */
  async applyTogether(
    statements: Statements,
    campaigns: readonly WholeCampaign[],
  ): Promise<{ applied: AppliedRow[]; outcomes: Map<string, GroupOutcome> }> {
    const settled = await Promise.allSettled(
      campaigns.map((campaign) => this.#applyCampaign(statements, campaign)),
    );
    const applied: AppliedRow[] = [];
    const outcomes = new Map<string, GroupOutcome>();
    for (const [index, { id }] of campaigns.entries()) {
      const one = settled[index];
      if (one?.status === "rejected" && isStoreUnavailable(one.reason))
        outcomes.set(id, { error: one.reason });
      if (one?.status !== "fulfilled") continue;
      if (one.value.isApplied) applied.push(one.value);
      else if (one.value.unavailableCause !== undefined)
        outcomes.set(id, { error: one.value.unavailableCause });
    }
    return { applied, outcomes };
  }

  /**
   * Applies rows, restores frozen wallets and applies the rows again. A restore that read the rows before a change ends
   * with the older version, and so does a restore by another instance, so only Redis' answer proves that it has the
   * newer one. A row of an unavailable wallet is pending at once. Stops when `signal` is aborted.
   */
  async apply(
    kind: "advertiser" | "campaign",
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Prepared> {
    const known = new Map<string, AppliedRow>();
    let left = ids;
    for (let attempt = 1; ; attempt += 1) {
      for (const one of await this.#applyOnce(kind, left)) known.set(one.row.id, one);
      const frozen = [...known.values()].filter(
        (one) => !one.isApplied && one.unavailableCause === undefined,
      );
      if (frozen.length === 0 || attempt === MAX_APPLY_ATTEMPTS) break;
      const advertiserIds = [...new Set(frozen.map(({ advertiserId }) => advertiserId))];
      // A wallet that could not be restored in time waits for the next round; the others may have been restored.
      if ((await this.#parts.recovery.restoreFrozen(advertiserIds, signal)) > 0)
        attempt = MAX_APPLY_ATTEMPTS - 1;
      left = frozen.map(({ row }) => row.id);
    }
    const all = [...known.values()];
    const applied = all.filter(({ isApplied }) => isApplied);
    return {
      entries: applied.map(({ entry }) => entry),
      rows: applied.map(({ row }) => row),
      pending: all.filter(({ isApplied }) => !isApplied).map(({ entry }) => entry),
      unavailableCause: all.find((one) => one.unavailableCause !== undefined)?.unavailableCause,
    };
  }

  #applyOnce(kind: "advertiser" | "campaign", ids: readonly string[]): Promise<AppliedRow[]> {
    return kind === "advertiser" ? this.#applyAdvertisers(ids) : this.#applyCampaigns(ids);
  }

  async #applyAdvertisers(ids: readonly string[]): Promise<AppliedRow[]> {
    const rows = await this.#parts.database.advertiser.findMany({ where: { id: { in: [...ids] } } });
    return Promise.all(
      rows.map((row) =>
        appliedRow({ row, entry: advertiserEntry(row), advertiserId: row.id }, async () => {
          const result = await this.#parts.wallets.applyAccount({
            advertiserId: row.id,
            version: row.version,
            depositedMillicents: safeInteger(row.depositedMillicents, "deposited"),
            slices: row.walletSlices,
          });
          return result !== "unknown_wallet";
        }),
      ),
    );
  }

  /**
   * A campaign is only written while its row is locked: a budget reduction in progress has its ceiling in the wallet,
   * which a version read earlier must not remove. The write is an effect outside the transaction, but idempotent: the
   * row is only read here, and the same version again changes nothing.
   */
  #applyCampaigns(ids: readonly string[]): Promise<AppliedRow[]> {
    return this.whileLocked(ids, { skipLocked: false }, (statements, campaigns) =>
      Promise.all(campaigns.map((campaign) => this.#applyCampaign(statements, campaign))),
    );
  }

  /** Works while campaigns are locked; `skipLocked` leaves out those that another transaction has locked. */
  whileLocked<T>(
    ids: readonly string[],
    options: { skipLocked: boolean },
    work: (statements: Statements, campaigns: WholeCampaign[]) => Promise<T>,
  ): Promise<T> {
    return this.#parts.pipeline.inTransaction(
      async (statements) => work(statements, await lockCampaigns(statements, ids, options)),
      // Commits locks and published versions only.
      { asynchronousCommit: true, lockTimeoutMs: this.#maxLockWaitMs },
    );
  }

  /** @param statements of the transaction that locks the campaign */
  #applyCampaign(statements: Statements, campaign: WholeCampaign): Promise<AppliedRow> {
    const { id, advertiserId, spentMillicents, impressions } = campaign;
    const day = utcDay(this.#parts.nowMs());
    const apply = (seed: CampaignState["seed"]) =>
      this.#parts.wallets.applyCampaign({
        advertiserId,
        campaignId: id,
        version: campaign.version,
        status: campaign.status,
        budgetMillicents: centsToMillicents(campaign.budgetCents),
        dailyCapMillicents:
          campaign.dailyCapCents === null ? null : centsToMillicents(campaign.dailyCapCents),
        seed,
      });
    const nothingSpent = { spentMillicents, impressions, day, daySpentMillicents: 0 };
    return appliedRow({ row: campaign, entry: campaignEntry(campaign), advertiserId }, async () => {
      let result = await apply(spentMillicents === 0 ? nothingSpent : null);
      if (result === "unknown_campaign") {
        result = await apply({ ...nothingSpent, daySpentMillicents: await spentOnDay(statements, id, day) });
      }
      return result === "applied" || result === "older";
    });
  }
}

/** One advertiser's node may be unavailable while others work. */
async function appliedRow(
  of: Pick<AppliedRow, "row" | "entry" | "advertiserId">,
  apply: () => Promise<boolean>,
): Promise<AppliedRow> {
  try {
    return { ...of, isApplied: await apply() };
  } catch (error) {
    if (!isRedisUnavailable(error)) throw error;
    return { ...of, isApplied: false, unavailableCause: error };
  }
}

/** Whether Postgres or Redis failed, so that another attempt may succeed. */
export function isStoreUnavailable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || isRedisUnavailable(error);
}
