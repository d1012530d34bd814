/** One series of a chart. */
export interface Series {
  key: string;
  label: string;
  role: SeriesRole;
}

/**
 * Your own series in ember, a plan or an ideal dashed, others in grey and one blue; `ink` and `green` where there are more.
 * Those that are next to each other in a stack differ for colour-blind people as well.
 */
export type SeriesRole = "own" | "plan" | "other" | "blue" | "ink" | "green";

/** The colour of a series, in the chart and in its key. */
export const STROKES: Readonly<Record<SeriesRole, string>> = {
  own: "var(--ember)",
  plan: "var(--muted)",
  other: "var(--grey)",
  blue: "var(--info)",
  ink: "var(--ink)",
  green: "var(--positive)",
};

/** The colour of a label beside a series: that of its stroke, unless it is too pale for a text. */
export function textColorOf(role: SeriesRole): string {
  return role === "other" ? "var(--muted)" : STROKES[role];
}

export type ChartRow = Readonly<Record<string, string | number | null>>;

/**
 * The rows of a time series as its table lists them: the latest first, up to now; what is ahead after that, by time.
 * @param rowKey the field with the day or the moment
 */
export function tableOrder(
  rows: readonly ChartRow[],
  rowKey: string,
  now: Date,
): { past: ChartRow[]; ahead: ChartRow[] } {
  const isAhead = (row: ChartRow) => {
    const point = String(row[rowKey]);
    return point > now.toISOString().slice(0, point.length);
  };
  return { past: rows.filter((row) => !isAhead(row)).reverse(), ahead: rows.filter(isAhead) };
}

export interface Axis {
  formatTicks: (ticks: readonly number[]) => (value: number) => string;
  smallestStep: number;
  /** The top of an axis on which everything is zero. */
  emptyTop: number;
}

export type ValueFormat = "cents" | "count" | "share" | "decimal";
