const chunkBits = 18;
const chunkLength = 1 << chunkBits;
const chunkMask = chunkLength - 1;
/** Numbers per cache line. Blocks are aligned to cache lines. */
const lineLength = 16;
/** Up to this number of lines, a block has any whole number of lines; above, four size classes per doubling. */
const exactLines = 8;

/**
 * A size-class allocator of blocks of numbers. It grows in chunks, so it never copies. A block is identified by its address.
 *
 * A freed block is reused only for the same size class, and chunks are never released. So each class keeps as many blocks
 * as were in use at its peak; blocks that all grow from empty leave at most eight times their final size. When a block
 * does not fit into the rest of a chunk, that rest is lost. Most blocks are short; a longer one than a chunk gets a chunk of
 * its own.
 */
export class Arena {
  readonly chunks: Int32Array[] = [];
  /** Views of the same memory as `chunks`. */
  readonly floats: Float64Array[] = [];
  readonly bytes: Buffer[] = [];
  /** By length of the size class: free addresses. */
  readonly #free = new Map<number, number[]>();
  #next = 0;

  /** Returns the address of a block for `length` numbers. Its contents are undefined. */
  allocate(length: number): number {
    const classLength = sizeClassLength(length);
    const free = this.#free.get(classLength)?.pop();
    if (free !== undefined) return free;
    if (classLength > this.chunks.length * chunkLength - this.#next) {
      // Not shared with any thread. V8 runs a blocking full collection for every 64 MB of ordinary array buffers.
      const buffer = new SharedArrayBuffer(Math.max(classLength, chunkLength) * Int32Array.BYTES_PER_ELEMENT);
      this.#next = this.chunks.length * chunkLength;
      this.chunks.push(new Int32Array(buffer));
      this.floats.push(new Float64Array(buffer));
      this.bytes.push(Buffer.from(buffer));
    }
    const address = this.#next;
    this.#next += Math.min(classLength, chunkLength);
    return address;
  }

  /** Frees a block. @param length as passed to `allocate` */
  free(address: number, length: number): void {
    const classLength = sizeClassLength(length);
    const free = this.#free.get(classLength);
    if (free === undefined) this.#free.set(classLength, [address]);
    else free.push(address);
  }

  chunkOf(address: number): Int32Array {
    const chunk = this.chunks[address >>> chunkBits];
    if (chunk === undefined) throw new RangeError(`no block at address ${address}`);
    return chunk;
  }

  floatsOf(address: number): Float64Array {
    const chunk = this.floats[address >>> chunkBits];
    if (chunk === undefined) throw new RangeError(`no block at address ${address}`);
    return chunk;
  }

  bytesOf(address: number): Buffer {
    const chunk = this.bytes[address >>> chunkBits];
    if (chunk === undefined) throw new RangeError(`no block at address ${address}`);
    return chunk;
  }
}

/** The offset of a block in the bytes of its chunk. */
export function byteOffsetOf(address: number): number {
  return offsetOf(address) * Int32Array.BYTES_PER_ELEMENT;
}

/** The offset of a block in its chunk. */
export function offsetOf(address: number): number {
  return address & chunkMask;
}

/** The length, or the next even one: numbers that follow it can be read as 64-bit floats. */
export function roundUpToEven(length: number): number {
  return length + (length & 1);
}

/** The length of the size class for `length` numbers: at most a quarter more, or up to the end of a line. */
export function sizeClassLength(length: number): number {
  const lines = Math.ceil(length / lineLength);
  const step = lines <= exactLines ? 1 : 1 << (29 - Math.clz32(lines - 1));
  return Math.ceil(lines / step) * step * lineLength;
}
