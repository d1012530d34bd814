/** One series of a chart. */
export interface Series {
  key: string;
  label: string;
  role: SeriesRole;
}

/**
 * Your own series in ember, a plan or an ideal dashed, others in greys and one blue; `green`, `grey` and `ink` where
 * a series keeps its colour whatever stands beside it.
 */
export type SeriesRole = "own" | "plan" | "other" | "blue" | "green" | "grey" | "ink";

const COLOURS: Readonly<Record<Exclude<SeriesRole, "other">, string>> = {
  own: "var(--ember)",
  plan: "var(--muted)",
  blue: "var(--info)",
  green: "var(--positive)",
  grey: "var(--other-1)",
  ink: "var(--ink)",
};
const OTHERS = ["var(--other-1)", "var(--other-2)", "var(--info)"];

/** The colour of a series, in the chart and in its key. */
export function strokeOf(series: readonly Series[], index: number): string {
  const role = series[index]?.role ?? "other";
  if (role !== "other") return COLOURS[role];
  const others = series.slice(0, index).filter(({ role: earlier }) => earlier === "other").length;
  return OTHERS[others % OTHERS.length] ?? "var(--muted)";
}

const LOW_CONTRAST_STROKES: ReadonlySet<string> = new Set(["var(--other-1)", "var(--other-2)"]);

/** The colour of a label beside a series: that of its stroke, unless it is too pale for a text. */
export function textColorOf(stroke: string): string {
  return LOW_CONTRAST_STROKES.has(stroke) ? "var(--muted)" : stroke;
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
