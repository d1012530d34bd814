/** Entries of a block; a longer one is split. */
const longestBlock = 256;
/** A block is a flat list of value, record, value, record … */
const fields = 2;

/**
 * Records in descending order of a value, equal ones in ascending order of the record. It is cut into blocks, so that a
 * change moves no more than a block however many records there are, and a short posting is one short list.
 */
export class Posting {
  readonly blocks: number[][] = [];
  size = 0;

  /** Throws when the record stands there with the same value already. */
  insert(value: number, record: number): void {
    const number = Math.max(this.#blockOf(value, record), 0);
    const block = this.blocks[number];
    this.size += 1;
    if (block === undefined) {
      this.blocks.push([value, record]);
      return;
    }
    const place = placeIn(block, value, record);
    if (block[place] === value && block[place + 1] === record) throw new Error("posted twice");
    block.splice(place, 0, value, record);
    if (block.length > longestBlock * fields) {
      this.blocks.splice(number + 1, 0, block.splice((longestBlock / 2) * fields));
    }
  }

  /** Throws when the record does not stand there with this value. */
  remove(value: number, record: number): void {
    const number = this.#blockOf(value, record);
    const block = this.blocks[number];
    const place = block === undefined ? 0 : placeIn(block, value, record);
    if (block === undefined || block[place] !== value || block[place + 1] !== record) {
      throw new Error("not posted");
    }
    this.size -= 1;
    block.splice(place, fields);
    if (block.length === 0) this.blocks.splice(number, 1);
  }

  /** How many have at least this value. */
  countFrom(value: number): number {
    // What would stand first among the next lower values.
    const number = this.#blockOf(value, Number.POSITIVE_INFINITY);
    const block = this.blocks[number];
    if (block === undefined) return 0;
    let count = placeIn(block, value, Number.POSITIVE_INFINITY) / fields;
    for (let before = 0; before < number; before += 1) count += (this.blocks[before]?.length ?? 0) / fields;
    return count;
  }

  /** The record at a place from the top; −1 past the end. */
  recordAt(place: number): number {
    let left = place * fields;
    for (const block of this.blocks) {
      if (left < block.length) return block[left + 1] ?? -1;
      left -= block.length;
    }
    return -1;
  }

  /** The last block that does not begin behind the entry; −1 when all do. */
  #blockOf(value: number, record: number): number {
    const { blocks } = this;
    let low = 0;
    let high = blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const block = blocks[middle];
      if (block !== undefined && isBefore(value, record, block[0] ?? 0, block[1] ?? 0)) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }
}

/** Where the entry stands or would stand. */
function placeIn(block: readonly number[], value: number, record: number): number {
  let low = 0;
  let high = block.length / fields;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = middle * fields;
    if (isBefore(block[at] ?? 0, block[at + 1] ?? 0, value, record)) low = middle + 1;
    else high = middle;
  }
  return low * fields;
}

function isBefore(value: number, record: number, otherValue: number, otherRecord: number): boolean {
  return value > otherValue || (value === otherValue && record < otherRecord);
}
