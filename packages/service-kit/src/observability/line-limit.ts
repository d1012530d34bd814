const LINE_EVERY_MS = 10_000;
/** Further kinds count as one. */
const MOST_KINDS = 100;

type Write = (count: number) => void;

interface Kind {
  isQuiet: boolean;
  /** How many are to be told with the next line, and how the last of them would write it. */
  untold: number;
  write: Write;
}

/**
 * What many requests meet at the same time is told at once, and then at most once in ten seconds for each kind of thing, with how
 * many there were meanwhile.
 */
export class LineLimit {
  readonly #everyMs: number;
  readonly #kinds = new Map<string, Kind>();

  constructor(everyMs = LINE_EVERY_MS) {
    this.#everyMs = everyMs;
  }

  /** @param write is given how many there were since the last line of this kind, this one included */
  tell(kind: string, write: Write): void {
    const known = this.#kindOf(kind);
    known.untold += 1;
    known.write = write;
    if (!known.isQuiet) this.#writeUntold(known);
  }

  #writeUntold(kind: Kind): void {
    const { untold, write } = kind;
    kind.isQuiet = untold > 0;
    if (!kind.isQuiet) return;
    kind.untold = 0;
    kind.write = () => undefined;
    setTimeout(() => this.#writeUntold(kind), this.#everyMs).unref();
    write(untold);
  }

  #kindOf(name: string): Kind {
    const place = this.#kinds.has(name) || this.#kinds.size < MOST_KINDS ? name : "others";
    const known = this.#kinds.get(place) ?? { isQuiet: false, untold: 0, write: () => undefined };
    this.#kinds.set(place, known);
    return known;
  }
}
