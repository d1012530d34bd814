import type { Goal, Metric } from "./suite.ts";

const HEAD = ["Metric", "Median", "Spread", "Unit", "Goal", "Aim", "", "Note"];

/** The results as a Markdown table that is also readable on a terminal. */
export function tableOf(metrics: readonly Metric[]): string {
  const rows = [HEAD, ...metrics.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(HEAD), rule, ...rows.slice(1).map(line)].join("\n");
}

function rowOf({ label, unit, median, lowest, highest, goal, note }: Metric): string[] {
  const spread = `${formatted(lowest)} to ${formatted(highest)}`;
  return [label, formatted(median), spread, unit, bound(goal), aim(goal), verdict(median, goal), note ?? ""];
}

function bound(goal: Goal | undefined): string {
  if (goal?.atLeast !== undefined) return `≥ ${goal.atLeast}`;
  return goal?.atMost === undefined ? "" : `≤ ${goal.atMost}`;
}

function aim(goal: Goal | undefined): string {
  if (goal?.aim === undefined) return "";
  return `${goal.atLeast === undefined ? "≤" : "≥"} ${goal.aim}`;
}

function verdict(median: number, goal: Goal | undefined): string {
  if (goal === undefined) return "";
  return isMet(median, goal) ? "met" : "missed";
}

export function isMet(median: number, { atLeast, atMost }: Goal): boolean {
  return (atLeast === undefined || median >= atLeast) && (atMost === undefined || median <= atMost);
}

/** Three significant digits; integers from a hundred on. */
function formatted(value: number): string {
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
