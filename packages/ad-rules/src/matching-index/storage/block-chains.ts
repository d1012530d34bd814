const blockBits = 7;
const blockLength = 1 << blockBits;
const chunkBits = 13;
const blocksPerChunk = 1 << chunkBits;
const noBlock = -1;

interface Chunk {
  bytes: Uint8Array;
  /** By block: the next one in its chain or in the chain of free blocks. */
  next: Int32Array;
}

/**
 * Stores byte strings outside the heap, in chains of equal blocks. Any free block fits any string, so the memory equals
 * the peak use, however lengths change.
 */
export class BlockChains {
  readonly #chunks: Chunk[] = [];
  #firstFree = noBlock;

  /** Allocated memory in bytes, free blocks included. */
  get byteLength(): number {
    const { BYTES_PER_ELEMENT } = Int32Array;
    return this.#chunks.length * blocksPerChunk * (blockLength + BYTES_PER_ELEMENT);
  }

  /** Stores at least one byte and returns the first block of the chain. */
  put(bytes: Uint8Array): number {
    let first = noBlock;
    // From the end, so that each block can point to its successor.
    for (let from = (bytes.length - 1) & ~(blockLength - 1); from >= 0; from -= blockLength) {
      const block = this.#allocate();
      const { bytes: memory, next } = this.#chunkOf(block);
      const index = block & (blocksPerChunk - 1);
      memory.set(bytes.subarray(from, from + blockLength), index << blockBits);
      next[index] = first;
      first = block;
    }
    return first;
  }

  /** Copies the first `into.length` bytes of a chain; the chain must have as many. */
  read(first: number, into: Uint8Array): void {
    let block = first;
    for (let to = 0; to < into.length; to += blockLength) {
      const { bytes: memory, next } = this.#chunkOf(block);
      const index = block & (blocksPerChunk - 1);
      const from = index << blockBits;
      into.set(memory.subarray(from, from + Math.min(blockLength, into.length - to)), to);
      block = next[index] ?? noBlock;
    }
  }

  /** Frees a chain. */
  remove(first: number): void {
    let block = first;
    while (block !== noBlock) {
      const { next } = this.#chunkOf(block);
      const index = block & (blocksPerChunk - 1);
      const following = next[index] ?? noBlock;
      next[index] = this.#firstFree;
      this.#firstFree = block;
      block = following;
    }
  }

  #allocate(): number {
    if (this.#firstFree === noBlock) this.#addChunk();
    const block = this.#firstFree;
    this.#firstFree = this.#chunkOf(block).next[block & (blocksPerChunk - 1)] ?? noBlock;
    return block;
  }

  #addChunk(): void {
    const start = this.#chunks.length * blocksPerChunk;
    const next = Int32Array.from({ length: blocksPerChunk }, (_, index) => start + index + 1);
    next[blocksPerChunk - 1] = noBlock;
    // Not shared with any thread; arena.ts gives the reason.
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
