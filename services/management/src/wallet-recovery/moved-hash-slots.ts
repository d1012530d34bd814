import { hashSlotOf } from "@diegetic/hot-state";

/** Remembers which hash slots a cluster has given to another node until those who live there have been looked at. */
export class MovedHashSlots {
  #owners: ReadonlyMap<number, string> | undefined;
  readonly #moved = new Set<number>();

  /** Compares with what was seen before; the first look sees no move. Wallets that nobody owns keep their last owner. */
  look(owners: ReadonlyMap<number, string>): void {
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

  /** Whether the hash slot of this advertiser is among them. */
  has(advertiserId: string): boolean {
    return this.#moved.has(hashSlotOf(advertiserId));
  }

  /** All of them have been looked at. */
  clear(): void {
    this.#moved.clear();
  }
}
