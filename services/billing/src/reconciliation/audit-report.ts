import { type Comparison, countDifferences, type Inspected } from "./comparison.ts";

export interface AuditReport {
  /** `incomplete`: nothing differs, but a wallet kept changing or is too large. `nothing`: there are no advertisers. */
  verdict: "agrees" | "differs" | "incomplete" | "nothing";
  /** Whether the outbox was empty when the audit began. */
  wasQuiet: boolean;
  lines: SummaryLine[];
  /** At most 200. One may count several differences. */
  findings: Comparison[];
  differences: number;
  /** Advertisers with something that could not be compared; at most 200. */
  notCompared: string[];
}

/** One line of the report: all comparisons of one check. */
export interface SummaryLine {
  check: string;
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
  readonly #lines = new Map<string, SummaryLine>();
  readonly findings: Comparison[] = [];
  readonly notCompared = new Set<string>();
  differences = 0;

  add({ comparisons, findings, notCompared }: Inspected): void {
    for (const comparison of comparisons) {
      const line = this.#line(comparison);
      line.compared += comparison.pairs;
      if (comparison.isUnlisted) continue;
      line.expected += comparison.expected;
      line.found += comparison.found;
    }
    for (const finding of findings) {
      const differences = countDifferences([finding]);
      this.#line(finding).differences += differences;
      this.differences += differences;
      if (this.findings.length < MAX_FINDINGS) this.findings.push(finding);
    }
    for (const owner of notCompared)
      if (this.notCompared.size < MAX_NOT_COMPARED) this.notCompared.add(owner);
  }

  /** The checks that ran, in the order in which they ran first. */
  get lines(): SummaryLine[] {
    return [...this.#lines.values()];
  }

  #line({ check, what }: Comparison): SummaryLine {
    const known = this.#lines.get(check);
    if (known !== undefined) return known;
    const line = { check, what, compared: 0, expected: 0n, found: 0n, differences: 0 };
    this.#lines.set(check, line);
    return line;
  }
}

const COLUMNS = ["What", "Compared", "Expected", "Found", "Verdict"] as const;

/** The report for a terminal: a table, followed by the differences. */
export function auditText(report: AuditReport): string {
  const rows = [[...COLUMNS], ...report.lines.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === COLUMNS.length - 1
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const findings = report.findings.map(
    (finding) => `  ${finding.what} [${finding.check}]\n    ${sentenceOf(finding)}`,
  );
  const more = report.differences - countDifferences(report.findings);
  return [
    ...lines,
    "",
    ...(findings.length === 0 ? [] : ["Differences:", ...findings]),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    ...(report.notCompared.length === 0
      ? []
      : [
          `Not compared, because their wallets kept changing or are too large: ${report.notCompared.join(", ")}`,
        ]),
    conclusionOf(report),
    "",
  ].join("\n");
}

function conclusionOf({ verdict, differences, wasQuiet }: AuditReport): string {
  const suffix = wasQuiet ? "" : " (during traffic: records in transit were read again)";
  switch (verdict) {
    case "agrees":
      return `All stores agree${suffix}.`;
    case "nothing":
      return "Nothing was compared: this database has no advertisers. Check DATABASE_URL.";
    case "differs":
      return `Found ${differences} ${differences === 1 ? "difference" : "differences"}${suffix}.`;
    case "incomplete":
      return `No difference found, but not everything could be compared${suffix}.`;
  }
}

function rowOf(line: SummaryLine): string[] {
  return [
    line.what,
    grouped(BigInt(line.compared)),
    grouped(line.expected),
    grouped(line.found),
    line.differences === 0 ? "ok" : `${grouped(BigInt(line.differences))} DIFFER`,
  ];
}

export function sentenceOf({ subject, relation, expected, found }: Comparison): string {
  const limit = relation === "equal" ? "expected" : "at most";
  return `${subject}: ${limit} ${grouped(expected)}, found ${grouped(found)}`;
}

/** Digits in groups of three. */
function grouped(value: bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, " ");
}

/** The report as JSON; amounts are text, because they may exceed JavaScript's exact integers. */
export function auditJson(report: AuditReport): string {
  const body = {
    verdict: report.verdict,
    was_quiet: report.wasQuiet,
    differences: report.differences,
    checks: report.lines.map((line) => ({
      check: line.check,
      what: line.what,
      compared: line.compared,
      expected: String(line.expected),
      found: String(line.found),
      differences: line.differences,
      verdict: line.differences === 0 ? "ok" : "differs",
    })),
    findings: report.findings.map((finding) => ({
      check: finding.check,
      subject: finding.subject,
      relation: finding.relation,
      expected: String(finding.expected),
      found: String(finding.found),
    })),
    not_compared: report.notCompared,
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}
