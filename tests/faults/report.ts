import { isFailed } from "./checker/report.ts";
import { faultsOf } from "./nemesis/nemesis.ts";
import type { SuiteReport } from "./suite.ts";
import type { Variant } from "./topology/world.ts";

/** The checks as lines, with violations. */
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

/** Empty: all invariants held, and every check examined something. */
export function failures(report: SuiteReport): string[] {
  return report.checks
    .filter(isFailed)
    .map(({ name, violations }) => `${name}: ${violations[0] ?? "nothing was seen"}`);
}

/** Injections of each fault over all runs, and the checks, as Markdown. */
export function injectionTable(reports: readonly SuiteReport[]): string {
  const ran = (["single", "cluster"] as const).filter((each) =>
    reports.some(({ variant }) => variant === each),
  );
  const names = new Set(ran.flatMap((variant) => faultsOf(variant).map(({ name }) => name)));
  const count = (fault: string, variant: Variant) =>
    reports
      .filter((report) => report.variant === variant)
      .flatMap(({ injections }) => injections)
      .filter((injection) => injection.fault === fault && injection.happened).length;
  const cell = (fault: string, variant: Variant) =>
    faultsOf(variant).some(({ name }) => name === fault) ? String(count(fault, variant)) : "–";
  const rows = [...names]
    .sort((a, b) => a.localeCompare(b))
    .map((fault) => `| ${fault} | ${ran.map((variant) => cell(fault, variant)).join(" | ")} |`);
  const sum = (of: (report: SuiteReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  return [
    `| Fault | ${ran.join(" | ")} |`,
    `| --- |${" ---: |".repeat(ran.length)}`,
    ...rows,
    "",
    `${reports.length} runs, ${sum(({ injections }) => injections.length)} faults, ` +
      `${sum(({ impressions }) => impressions)} impressions, ${sum(({ samples }) => samples)} samples of wallets, ` +
      `${sum(({ checks }) => checks.reduce((total, { examined }) => total + examined, 0))} things examined.`,
  ].join("\n");
}

export function answerLines(report: SuiteReport): string {
  return [...report.answers]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([answer, count]) => `  ${answer}: ${count}`)
    .join("\n");
}
