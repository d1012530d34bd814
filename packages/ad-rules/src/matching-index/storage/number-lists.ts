import { type Arena, placeOf } from "./arena.ts";

/** The list of nothing. */
export const noList = 0;

/** Short lists of numbers in shared memory, where garbage collection has nothing to go through. */
export class NumberLists {
  readonly #memory: Arena;

  constructor(memory: Arena) {
    this.#memory = memory;
  }

  /** What stands at a place of a list; 0 past its end. */
  at(list: number, number: number): number {
    if (list === noList) return 0;
    const numbers = this.#memory.chunkOf(list - 1);
    const place = placeOf(list - 1);
    return number < (numbers[place] ?? 0) ? (numbers[place + 1 + number] ?? 0) : 0;
  }

  /** The list from now on: its piece begins with how many there are, and the list is one more than its address. */
  replace(list: number, numbers: readonly number[]): number {
    if (list !== noList) {
      const count = this.#memory.chunkOf(list - 1)[placeOf(list - 1)] ?? 0;
      this.#memory.give(list - 1, count + 1);
    }
    if (numbers.length === 0) return noList;
    const address = this.#memory.take(numbers.length + 1);
    this.#memory.chunkOf(address).set([numbers.length, ...numbers], placeOf(address));
    return address + 1;
  }
}
