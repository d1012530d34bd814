const chunkBits = 18;
const chunkLength = 1 << chunkBits;
const chunkMask = chunkLength - 1;
/** Numbers of a cache line. Pieces begin with one. */
const lineLength = 16;
/** Pieces of up to so many lines have any number of them; longer ones are of four lengths per doubling. */
const exactLines = 8;

/**
 * Pieces of memory for numbers, in chunks, so that it grows without copying. A piece is known by its address.
 *
 * What is given back serves pieces of the same length only, and chunks stay. So of each length there is memory for as many
 * as there were at most at one time; since lengths are few, pieces that all grow from nothing leave no more than eight
 * times what they have at last. Where a piece does not fit into what is left of a chunk, that rest is lost: pieces here are
 * short (a record has at most some thousand numbers, by the limits of a campaign's lists; a block of a posting some two
 * thousand, a text some hundred).
 */
export class Arena {
  readonly chunks: Int32Array[] = [];
  /** The same memory as `chunks`. */
  readonly floats: Float64Array[] = [];
  /** By length: free addresses. */
  readonly #free = new Map<number, number[]>();
  #next = 0;

  /** The address of a piece for `length` numbers; what it holds is left from before. */
  take(length: number): number {
    const whole = wholeLength(length);
    const free = this.#free.get(whole)?.pop();
    if (free !== undefined) return free;
    if (whole > this.chunks.length * chunkLength - this.#next) {
      // Shared with nobody: V8 collects the whole heap for every 64 MB of other buffers, and blocks for that.
      const buffer = new SharedArrayBuffer(Math.max(whole, chunkLength) * Int32Array.BYTES_PER_ELEMENT);
      this.#next = this.chunks.length * chunkLength;
      this.chunks.push(new Int32Array(buffer));
      this.floats.push(new Float64Array(buffer));
    }
    const address = this.#next;
    this.#next += Math.min(whole, chunkLength);
    return address;
  }

  /** Gives a piece back that was taken for that length. */
  give(address: number, length: number): void {
    const whole = wholeLength(length);
    const free = this.#free.get(whole);
    if (free === undefined) this.#free.set(whole, [address]);
    else free.push(address);
  }

  chunkOf(address: number): Int32Array {
    const chunk = this.chunks[address >>> chunkBits];
    if (chunk === undefined) throw new RangeError(`nothing at ${address}`);
    return chunk;
  }

  floatsOf(address: number): Float64Array {
    const chunk = this.floats[address >>> chunkBits];
    if (chunk === undefined) throw new RangeError(`nothing at ${address}`);
    return chunk;
  }
}

/** Where a piece begins in its chunk. */
export function placeOf(address: number): number {
  return address & chunkMask;
}

/** The length that a piece for so many numbers really has: at most a quarter more, or the rest of a line. */
export function wholeLength(length: number): number {
  const lines = Math.ceil(length / lineLength);
  const step = lines <= exactLines ? 1 : 1 << (29 - Math.clz32(lines - 1));
  return Math.ceil(lines / step) * step * lineLength;
}
