import type { SuiteReport } from "./suite.ts";

/** The checks as lines, with what was found where something is wrong. */
export function describeChecks(report: SuiteReport): string {
  return report.checks
    .map(({ name, examined, violations }) => {
      const verdict = examined === 0 ? "NOTHING SEEN" : violations.length === 0 ? "ok" : "VIOLATED";
      return [
        `${verdict.padEnd(12)} ${name} (${examined})`,
        ...violations.map((violation) => `             - ${violation}`),
      ].join("\n");
    })
    .join("\n");
}

/** Empty: all invariants held, and every check had something to look at. */
export function failures(report: SuiteReport): string[] {
  return report.checks
    .filter(({ examined, violations }) => examined === 0 || violations.length > 0)
    .map(({ name, violations }) => `${name}: ${violations[0] ?? "nothing was seen"}`);
}

/** How often each fault was injected over all runs, as a Markdown table. */
export function injectionTable(reports: readonly SuiteReport[]): string {
  const counts = new Map<string, number>();
  for (const { fault, happened } of reports.flatMap(({ injections }) => injections)) {
    if (happened) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  }
  const rows = [...counts].sort(([a], [b]) => a.localeCompare(b));
  return [
    "| Fault | Injected |",
    "| --- | ---: |",
    ...rows.map(([fault, count]) => `| ${fault} | ${count} |`),
  ].join("\n");
}

export function answerLines(report: SuiteReport): string {
  return [...report.answers]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([answer, count]) => `  ${answer}: ${count}`)
    .join("\n");
}
