import { CHECK_NAMES, CHECKS, type CheckName } from "./checks.ts";
import type { Comparison } from "./comparison.ts";
import type { Inspected } from "./inspection.ts";

/** One line of the report: all comparisons of one check. */
export interface SummaryLine {
  check: CheckName;
  what: string;
  compared: number;
  /** Sums over all comparisons; for a limit: what is allowed and what is used. */
  expected: bigint;
  found: bigint;
  differences: number;
}

const MAX_FINDINGS = 200;
const MAX_NOT_COMPARED = 200;

/** Adds up inspections in bounded memory. */
export class Summary {
  readonly #lines = new Map<CheckName, SummaryLine>();
  readonly findings: Comparison[] = [];
  readonly notCompared = new Set<string>();
  differences = 0;

  add({ comparisons, findings, notCompared }: Inspected): void {
    for (const comparison of comparisons) {
      const line = this.#line(comparison.check);
      line.compared += comparison.pairs;
      line.expected += comparison.expected;
      line.found += comparison.found;
    }
    for (const finding of findings) {
      this.#line(finding.check).differences += 1;
      this.differences += 1;
      if (this.findings.length < MAX_FINDINGS) this.findings.push(finding);
    }
    for (const owner of notCompared)
      if (this.notCompared.size < MAX_NOT_COMPARED) this.notCompared.add(owner);
  }

  /** The checks that ran, in report order. */
  get lines(): SummaryLine[] {
    return CHECK_NAMES.flatMap((check) => this.#lines.get(check) ?? []);
  }

  #line(check: CheckName): SummaryLine {
    const known = this.#lines.get(check);
    if (known !== undefined) return known;
    const line = { check, what: CHECKS[check].what, compared: 0, expected: 0n, found: 0n, differences: 0 };
    this.#lines.set(check, line);
    return line;
  }
}
