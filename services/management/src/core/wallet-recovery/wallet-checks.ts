import type { Database } from "@diegetic/database";
import { walletIds } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import { MovedHashSlots } from "./moved-hash-slots.ts";
import type { WalletRecovery } from "./wallet-recovery.ts";

/** Wallets that `checkNext` checks, so that every wallet is checked regularly, whatever Redis lost. */
const WALLETS_PER_PAGE = 300;
/** Checks of a page of wallets before the caller goes on; what is still frozen waits for the next time. */
const MAX_CHECKS = 3;
/** Wallets whose hash slots are looked at together. */
const MOVED_PER_PAGE = 500;

export interface WalletChecksParts {
  database: Database;
  recovery: Pick<WalletRecovery, "restoreFrozen">;
  /** Owner of each hash slot, from `hashSlotOwners`. */
  owners: () => Promise<ReadonlyMap<number, string>>;
  logger: Logger;
}

/** Chooses which wallets recovery checks, and when. Rejects before the next page when `signal` is aborted. */
export class WalletChecks {
  readonly #parts: WalletChecksParts;
  readonly #moved = new MovedHashSlots();
  /** "": the first page is next. */
  #lastWallet = "";

  constructor(parts: WalletChecksParts) {
    this.#parts = parts;
  }

  /** Call it before the first check: hash slots that move from then on are noticed. */
  async noteOwners(): Promise<void> {
    this.#moved.compare(await this.#parts.owners());
  }

  /** Checks every wallet. */
  async checkAll(signal: AbortSignal | undefined): Promise<void> {
    this.#lastWallet = "";
    do {
      await this.checkNext(signal);
    } while (this.#lastWallet !== "");
  }

  /** Checks the next page of wallets; after the last page, the first one is next. */
  async checkNext(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const page = await this.#readPage(this.#lastWallet, WALLETS_PER_PAGE);
    const ids = page.map(({ id }) => id);
    for (let check = 0; check < MAX_CHECKS; check++) {
      if ((await this.#parts.recovery.restoreFrozen(ids, signal)) === 0) break;
      signal?.throwIfAborted();
    }
    this.#lastWallet = ids.length < WALLETS_PER_PAGE ? "" : (ids.at(-1) ?? "");
  }

  /** Checks the wallets on hash slots that a cluster has moved, until none is frozen. */
  async checkMoved(signal: AbortSignal | undefined): Promise<void> {
    const { recovery, logger } = this.#parts;
    await this.noteOwners();
    if (this.#moved.size === 0) return;
    let left = 0;
    let after: string | undefined = "";
    while (after !== undefined) {
      signal?.throwIfAborted();
      const page: WalletSlices[] = await this.#readPage(after, MOVED_PER_PAGE);
      const moved = page.filter(({ id, walletSlices }) =>
        walletIds(id, walletSlices).some((walletId) => this.#moved.has(walletId)),
      );
      left += await recovery.restoreFrozen(
        moved.map(({ id }) => id),
        signal,
      );
      after = page.at(-1)?.id;
    }
    logger.info({ hashSlots: this.#moved.size, left }, "cluster moved hash slots");
    if (left === 0) this.#moved.clear();
  }

  #readPage(after: string, limit: number): Promise<WalletSlices[]> {
    return this.#parts.database.advertiser.findMany({
      where: { id: { gt: after } },
      orderBy: { id: "asc" },
      take: limit,
      select: { id: true, walletSlices: true },
    });
  }
}

interface WalletSlices {
  /** Of the advertiser. */
  id: string;
  walletSlices: number;
}
