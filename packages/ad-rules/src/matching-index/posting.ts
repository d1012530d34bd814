/** The room that there is for slots. */
export interface Capacity {
  /** Words of 32 slots. */
  readonly wordCapacity: number;
  /** A posting of up to so many slots is a list: reading it then costs less than reading all words of bits would. */
  readonly longestList: number;
}

/**
 * The slots of the campaigns that have one term: a short list, or bits (slot s is bit s & 31 of word s >> 5) when they
 * are many. So a term that few campaigns have costs little memory, and one that many have costs one bit a slot.
 */
export class Posting {
  #count = 0;
  #list: number[] | null = null;
  #bits: Int32Array | null = null;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Whether a good part of all campaigns has the term: one in sixteen slots. */
  isWide({ wordCapacity }: Capacity): boolean {
    return this.#count > wordCapacity * 2;
  }

  /** The slots, in no order; null when there are too many for a list. */
  get list(): readonly number[] | null {
    return this.#bits === null ? (this.#list ?? []) : null;
  }

  /** The slots as bits, at least `wordCapacity` words of them; null while they are a list. */
  bits({ wordCapacity, longestList }: Capacity): Int32Array | null {
    if (this.#bits !== null && this.#bits.length < wordCapacity) {
      if (this.#count < longestList >> 1) this.#becomeList();
      else this.#bits = grown(this.#bits, wordCapacity);
    }
    return this.#bits;
  }

  /** A slot that was added last may be added again, which changes nothing. */
  add(slot: number, { wordCapacity, longestList }: Capacity): void {
    if (this.#bits !== null) {
      if (slot >>> 5 >= this.#bits.length) this.#bits = grown(this.#bits, wordCapacity);
      const word = this.#bits[slot >>> 5] ?? 0;
      const bit = 1 << (slot & 31);
      if ((word & bit) !== 0) return;
      this.#bits[slot >>> 5] = word | bit;
    } else if (this.#list === null) {
      this.#list = [slot];
    } else {
      if (this.#list[this.#list.length - 1] === slot) return;
      this.#list.push(slot);
    }
    this.#count += 1;
    if (this.#list !== null && this.#count > longestList) this.#becomeBits(wordCapacity);
  }

  /** A slot that is not there is ignored. */
  remove(slot: number, { longestList }: Capacity): void {
    if (this.#bits !== null) {
      const word = this.#bits[slot >>> 5] ?? 0;
      const bit = 1 << (slot & 31);
      if ((word & bit) === 0) return;
      this.#bits[slot >>> 5] = word & ~bit;
      this.#count -= 1;
      if (this.#count < longestList >> 1) this.#becomeList();
    } else if (this.#list !== null) {
      const place = this.#list.lastIndexOf(slot);
      const last = this.#list.at(-1);
      if (place < 0 || last === undefined) return;
      this.#list[place] = last;
      this.#list.pop();
      this.#count -= 1;
    }
  }

  #becomeBits(wordCapacity: number): void {
    const bits = new Int32Array(wordCapacity);
    for (const slot of this.#list ?? []) bits[slot >>> 5] = (bits[slot >>> 5] ?? 0) | (1 << (slot & 31));
    this.#bits = bits;
    this.#list = null;
  }

  #becomeList(): void {
    const list: number[] = [];
    for (const [place, word] of (this.#bits ?? []).entries()) {
      for (let rest = word; rest !== 0; rest &= rest - 1) list.push(place * 32 + lowestBit(rest));
    }
    this.#list = list;
    this.#bits = null;
  }
}

/** The place of the lowest bit that is set; the word is not 0. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** A longer copy, zeros behind. */
export function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(Math.max(length, array.length));
  longer.set(array);
  return longer;
}
