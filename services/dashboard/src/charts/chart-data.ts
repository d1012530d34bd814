/** One series of a chart. */
export interface Series {
  key: string;
  label: string;
  /** Your own series in ember, a plan or an ideal dashed, others in greys and one blue. */
  role: "own" | "plan" | "other" | "blue";
}

export type ChartRow = Readonly<Record<string, string | number | null>>;

export interface Axis {
  formatTicks: (ticks: readonly number[]) => (value: number) => string;
  smallestStep: number;
  /** The top of an axis on which everything is zero. */
  emptyTop: number;
}

export type ValueFormat = "cents" | "count" | "share" | "decimal";
