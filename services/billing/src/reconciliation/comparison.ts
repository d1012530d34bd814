import type { CheckName } from "./checks.ts";

/** Two balances that must agree. */
export interface Comparison {
  check: CheckName;
  /** Owner of the balances: an identifier, with a qualifier if it owns several. */
  subject: string;
  /** What to read again when they differ: the advertiser; empty: the whole inspection. */
  owner: string;
  relation: "equal" | "at most";
  expected: bigint;
  found: bigint;
  /** Number of pairs that these sums cover. */
  pairs: number;
}

export function differs({ relation, expected, found }: Comparison): boolean {
  return relation === "equal" ? found !== expected : found > expected;
}

/** Stable name of a comparison: the same two balances have the same name in every read. */
export function nameOf({ check, subject }: Comparison): string {
  return `${check} ${subject}`;
}

type Value = bigint | number;

/** Collects the comparisons of one owner. */
export class Comparisons {
  readonly list: Comparison[] = [];
  readonly #owner: string;

  constructor(owner: string) {
    this.#owner = owner;
  }

  equal(check: CheckName, subject: string, expected: Value, found: Value, pairs = 1): void {
    this.#add("equal", { check, subject, pairs }, expected, found);
  }

  atMost(check: CheckName, subject: string, limit: Value, found: Value): void {
    this.#add("at most", { check, subject, pairs: 1 }, limit, found);
  }

  #add(
    relation: Comparison["relation"],
    name: Pick<Comparison, "check" | "subject" | "pairs">,
    expected: Value,
    found: Value,
  ): void {
    const owner = this.#owner;
    this.list.push({ ...name, owner, relation, expected: BigInt(expected), found: BigInt(found) });
  }
}
