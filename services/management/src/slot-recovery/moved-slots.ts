import { hashSlotOf } from "@diegetic/hot-state";

/** Remembers which hash slots a cluster has given to another node until those who live there have been looked at. */
export class MovedSlots {
  #owners: ReadonlyMap<number, string> | undefined;
  readonly #moved = new Set<number>();

  /** Compares with what was seen before; the first look sees no move. Slots that nobody owns keep their last owner. */
  look(owners: ReadonlyMap<number, string>): void {
    const before = this.#owners;
    if (before !== undefined) {
      for (const [slot, owner] of owners) {
        if (before.get(slot) !== owner) this.#moved.add(slot);
      }
    }
    this.#owners = new Map([...(before ?? []), ...owners]);
  }

  get size(): number {
    return this.#moved.size;
  }

  /** Whether the slot of this advertiser is among them. */
  has(advertiserId: string): boolean {
    return this.#moved.has(hashSlotOf(advertiserId));
  }

  /** All of them have been looked at. */
  clear(): void {
    this.#moved.clear();
  }
}
