import { type Arena, offsetOf } from "./arena.ts";

/** The empty list. */
export const noList = 0;

/** Short lists of numbers in an arena, which garbage collection does not scan. */
export class NumberLists {
  readonly #memory: Arena;

  constructor(memory: Arena) {
    this.#memory = memory;
  }

  /** The element at an index; 0 past the end. */
  at(list: number, index: number): number {
    if (list === noList) return 0;
    const numbers = this.#memory.chunkOf(list - 1);
    const offset = offsetOf(list - 1);
    return index < (numbers[offset] ?? 0) ? (numbers[offset + 1 + index] ?? 0) : 0;
  }

  /** Changes an element that exists. */
  set(list: number, index: number, number: number): void {
    this.#memory.chunkOf(list - 1)[offsetOf(list - 1) + 1 + index] = number;
  }

  all(list: number): number[] {
    if (list === noList) return [];
    const numbers = this.#memory.chunkOf(list - 1);
    const offset = offsetOf(list - 1) + 1;
    return [...numbers.subarray(offset, offset + (numbers[offset - 1] ?? 0))];
  }

  /** Frees a list and returns a new one. A list is the address of its block + 1; the block begins with the count. */
  replace(list: number, numbers: readonly number[]): number {
    if (list !== noList) {
      const count = this.#memory.chunkOf(list - 1)[offsetOf(list - 1)] ?? 0;
      this.#memory.free(list - 1, count + 1);
    }
    if (numbers.length === 0) return noList;
    const address = this.#memory.allocate(numbers.length + 1);
    this.#memory.chunkOf(address).set([numbers.length, ...numbers], offsetOf(address));
    return address + 1;
  }
}
