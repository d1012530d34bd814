import type { AuditReport, SummaryLine } from "./audit.ts";
import { type Comparison, countDifferences } from "./reconciliation/comparison.ts";

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

function sentenceOf({ subject, relation, expected, found }: Comparison): string {
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
