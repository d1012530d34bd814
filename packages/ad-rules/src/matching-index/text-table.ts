/** A text that campaigns name, and what it does where a request has it. */
export interface TextEntry {
  readonly text: string;
  readonly hash: number;
  /** Terms and how the text raises them (effects.ts). */
  notes: number[];
  /** How many phrases of campaigns it is, or is the first word of. */
  phraseUses: number;
  /** Of a first word or a first character of an unspaced script: the lengths of longer phrases, ascending. */
  longer: Lengths | null;
  /** The next one in the same bucket. */
  next: TextEntry | null;
}

/** Lengths of phrases, and how many there are of each. */
export interface Lengths {
  readonly lengths: number[];
  readonly counts: number[];
}

const hashBase = 0x01000193;
/** So many that growing one of them takes no noticeable time. */
const segmentBits = 6;
const firstBuckets = 16;

/** The hash of a text that is one unit longer. */
export function hashWith(hash: number, unit: number): number {
  return (Math.imul(hash, hashBase) + unit) | 0;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = hashWith(hash, text.charCodeAt(at));
  return hash;
}

/** A hash table that finds a text by UTF-16 units in a buffer, so that nobody has to make a string to look it up. */
export class TextTable {
  readonly #segments: (TextEntry | null)[][] = [];
  readonly #sizes: number[] = [];

  constructor() {
    for (let segment = 0; segment < 1 << segmentBits; segment += 1) {
      this.#segments.push(new Array<TextEntry | null>(firstBuckets).fill(null));
      this.#sizes.push(0);
    }
  }

  get(text: string): TextEntry | null {
    const hash = hashOf(text);
    let entry = this.#bucketOf(hash);
    while (entry !== null && (entry.hash !== hash || entry.text !== text)) entry = entry.next;
    return entry;
  }

  /** The entry of the units from `from` to `to`, whose hash must be given. */
  find(hash: number, units: Uint16Array, from: number, to: number): TextEntry | null {
    let entry = this.#bucketOf(hash);
    while (entry !== null && (entry.hash !== hash || !isAt(entry.text, units, from, to))) entry = entry.next;
    return entry;
  }

  /** The entry of the text, a new one if there is none. */
  put(text: string): TextEntry {
    const known = this.get(text);
    if (known !== null) return known;
    const hash = hashOf(text);
    const mixed = mix(hash);
    const segment = mixed >>> (32 - segmentBits);
    const size = (this.#sizes[segment] ?? 0) + 1;
    this.#sizes[segment] = size;
    if (size > this.#segmentAt(segment).length) this.#grow(segment);
    const buckets = this.#segmentAt(segment);
    const bucket = mixed & (buckets.length - 1);
    const next = buckets[bucket] ?? null;
    const entry: TextEntry = { text, hash, notes: [], phraseUses: 0, longer: null, next };
    buckets[bucket] = entry;
    return entry;
  }

  /** Takes an entry out that means nothing any more. */
  drop(entry: TextEntry): void {
    const mixed = mix(entry.hash);
    const segment = mixed >>> (32 - segmentBits);
    const buckets = this.#segmentAt(segment);
    const bucket = mixed & (buckets.length - 1);
    let previous: TextEntry | null = null;
    let one = buckets[bucket] ?? null;
    while (one !== null && one !== entry) {
      previous = one;
      one = one.next;
    }
    if (one === null) return;
    if (previous === null) buckets[bucket] = entry.next;
    else previous.next = entry.next;
    this.#sizes[segment] = (this.#sizes[segment] ?? 1) - 1;
  }

  #segmentAt(segment: number): (TextEntry | null)[] {
    const buckets = this.#segments[segment];
    if (buckets === undefined) throw new RangeError(`no segment ${segment}`);
    return buckets;
  }

  #bucketOf(hash: number): TextEntry | null {
    const mixed = mix(hash);
    const buckets = this.#segments[mixed >>> (32 - segmentBits)];
    return buckets?.[mixed & (buckets.length - 1)] ?? null;
  }

  #grow(segment: number): void {
    const before = this.#segmentAt(segment);
    const buckets = new Array<TextEntry | null>(before.length * 2).fill(null);
    for (const first of before) {
      for (let entry: TextEntry | null = first; entry !== null; ) {
        const { next }: TextEntry = entry;
        const bucket = mix(entry.hash) & (buckets.length - 1);
        entry.next = buckets[bucket] ?? null;
        buckets[bucket] = entry;
        entry = next;
      }
    }
    this.#segments[segment] = buckets;
  }
}

/** Spreads a hash over all bits: the highest choose a segment, the lowest a bucket. */
function mix(hash: number): number {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (spread ^ (spread >>> 13)) >>> 0;
}

function isAt(text: string, units: Uint16Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at - from) !== units[at]) return false;
  return true;
}
