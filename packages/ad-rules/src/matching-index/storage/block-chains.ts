const blockBits = 7;
const blockLength = 1 << blockBits;
const chunkBits = 13;
const blocksPerChunk = 1 << chunkBits;
const noBlock = -1;

interface Chunk {
  bytes: Uint8Array;
  /** By block: the one behind it in its chain, or in the chain of those that are free. */
  next: Int32Array;
}

/**
 * Bytes outside of the heap, in chains of equal blocks. Any free block serves any bytes, so the memory is what was needed
 * at most at one time, however lengths change.
 */
export class BlockChains {
  readonly #chunks: Chunk[] = [];
  #firstFree = noBlock;

  /** Memory that is held, free blocks included. */
  get byteLength(): number {
    const { BYTES_PER_ELEMENT } = Int32Array;
    return this.#chunks.length * blocksPerChunk * (blockLength + BYTES_PER_ELEMENT);
  }

  /** Where they are from now on; at least one byte. */
  put(bytes: Uint8Array): number {
    let first = noBlock;
    // From the end, so that each block is put before the one behind it.
    for (let from = (bytes.length - 1) & ~(blockLength - 1); from >= 0; from -= blockLength) {
      const block = this.#take();
      const { bytes: memory, next } = this.#chunkOf(block);
      const place = block & (blocksPerChunk - 1);
      memory.set(bytes.subarray(from, from + blockLength), place << blockBits);
      next[place] = first;
      first = block;
    }
    return first;
  }

  /** Copies what was put there, from its beginning; `into` is at most as long as that was. */
  read(first: number, into: Uint8Array): void {
    let block = first;
    for (let to = 0; to < into.length; to += blockLength) {
      const { bytes: memory, next } = this.#chunkOf(block);
      const place = block & (blocksPerChunk - 1);
      const from = place << blockBits;
      into.set(memory.subarray(from, from + Math.min(blockLength, into.length - to)), to);
      block = next[place] ?? noBlock;
    }
  }

  /** Frees what was put there. */
  remove(first: number): void {
    let block = first;
    while (block !== noBlock) {
      const { next } = this.#chunkOf(block);
      const place = block & (blocksPerChunk - 1);
      const behind = next[place] ?? noBlock;
      next[place] = this.#firstFree;
      this.#firstFree = block;
      block = behind;
    }
  }

  #take(): number {
    if (this.#firstFree === noBlock) this.#addChunk();
    const block = this.#firstFree;
    this.#firstFree = this.#chunkOf(block).next[block & (blocksPerChunk - 1)] ?? noBlock;
    return block;
  }

  #addChunk(): void {
    const start = this.#chunks.length * blocksPerChunk;
    const next = Int32Array.from({ length: blocksPerChunk }, (_, place) => start + place + 1);
    next[blocksPerChunk - 1] = noBlock;
    // Shared with nobody, for the reason that arena.ts gives.
    const bytes = new Uint8Array(new SharedArrayBuffer(blocksPerChunk * blockLength));
    this.#chunks.push({ bytes, next });
    this.#firstFree = start;
  }

  #chunkOf(block: number): Chunk {
    const chunk = this.#chunks[block >>> chunkBits];
    if (chunk === undefined) throw new RangeError(`no block ${block}`);
    return chunk;
  }
}
