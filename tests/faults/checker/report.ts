/** One invariant, and what was found. */
export interface Check {
  name: string;
  /** Number of examined items: a check of nothing proves nothing. */
  examined: number;
  violations: string[];
}

const MAX_VIOLATIONS = 20;

export function isFailed({ examined, violations }: Check): boolean {
  return examined === 0 || violations.length > 0;
}

/** Collects the violations of one rule. */
export class CheckBuilder {
  readonly #check: Check;
  #more = 0;

  constructor(name: string) {
    this.#check = { name, examined: 0, violations: [] };
  }

  expect(holds: boolean, sentence: () => string): void {
    this.#check.examined += 1;
    if (holds) return;
    if (this.#check.violations.length < MAX_VIOLATIONS) this.#check.violations.push(sentence());
    else this.#more += 1;
  }

  /** Counts items that were examined elsewhere. */
  examine(count: number): void {
    this.#check.examined += count;
  }

  end(): Check {
    if (this.#more > 0) this.#check.violations.push(`… and ${this.#more} more`);
    return this.#check;
  }
}
