import type { Goal, Metric } from "./suite.ts";

const HEAD = ["Metric", "Median", "Spread", "Goal", "Aim", "", "Note"];
/** Metric, median, spread and goal. */
const COLUMNS_OF_GOALS = 4;

/** The results as a Markdown table that is also readable on a terminal. */
export function tableOf(metrics: readonly Metric[]): string {
  return markdownOf([HEAD, ...metrics.map(rowOf)]);
}

/** Those of the results that have a goal, without their aims and notes; a missed goal says so. */
export function tableOfGoals(metrics: readonly Metric[]): string {
  const rows = metrics.flatMap((metric) => {
    if (metric.goal === undefined) return [];
    const cells = rowOf(metric).slice(0, COLUMNS_OF_GOALS);
    return [isMet(metric.median, metric.goal) ? cells : [...cells.slice(0, -1), `${cells.at(-1)}, missed`]];
  });
  return markdownOf([HEAD.slice(0, COLUMNS_OF_GOALS), ...rows]);
}

function markdownOf([head = [], ...rows]: readonly string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

function rowOf({ label, unit, median, lowest, highest, goal, note }: Metric): string[] {
  const spread = `${formatted(lowest)}–${formatted(highest)}`;
  return [
    label,
    `${formatted(median)} ${unit}`,
    spread,
    bound(goal),
    aim(goal),
    verdict(median, goal),
    note ?? "",
  ];
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
