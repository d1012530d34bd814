import { hashSlotOf } from "@diegetic/hot-state";

/** Remembers hash slots that a cluster has moved to another node, until the wallets on them have been checked. */
export class MovedHashSlots {
  #owners: ReadonlyMap<number, string> | undefined;
  readonly #moved = new Set<number>();

  /** Compares with the previous owners; the first call detects no move. An unowned slot keeps its last owner. */
  compare(owners: ReadonlyMap<number, string>): void {
    const before = this.#owners;
    if (before !== undefined) {
      for (const [hashSlot, owner] of owners) {
        if (before.get(hashSlot) !== owner) this.#moved.add(hashSlot);
      }
    }
    this.#owners = new Map([...(before ?? []), ...owners]);
  }

  get size(): number {
    return this.#moved.size;
  }

  /** Whether this wallet's hash slot has moved. */
  has(walletId: string): boolean {
    return this.#moved.has(hashSlotOf(walletId));
  }

  /** Call when the wallets on all of them have been checked. */
  clear(): void {
    this.#moved.clear();
  }
}
