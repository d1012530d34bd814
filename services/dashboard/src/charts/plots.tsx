import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { formatPoint, formatPointInFull, isPresent } from "../format/format.ts";
import { axisTicks } from "./axis.ts";
import classes from "./chart.module.css";
import type { Axis, ChartRow, Series } from "./chart-data.ts";

interface PlotProps {
  rows: readonly ChartRow[];
  rowKey: string;
  series: readonly Series[];
  /** As in a tooltip: to the last digit. */
  exact: (value: number) => string;
}

interface TimePlotProps extends PlotProps {
  height: number;
  isStacked: boolean;
  axis: Axis;
}

const AXIS = { fontSize: 12, fill: "var(--muted)" };
const OTHERS = ["var(--other-1)", "var(--other-2)", "var(--info)"];
const RUNNING = "2 4";

function strokeOf(series: readonly Series[], index: number): string {
  const role = series[index]?.role;
  if (role === "own") return "var(--ember)";
  if (role === "plan") return "var(--muted)";
  if (role === "blue") return "var(--info)";
  const place = series.slice(0, index).filter(({ role: other }) => other === "other").length;
  return OTHERS[place % OTHERS.length] ?? "var(--muted)";
}

const runningKey = (key: string) => `${key} running`;

/** The last point has a line of its own while its day or hour is running: it is no fall. */
function withRunning(rows: readonly ChartRow[], series: readonly Series[], isRunning: boolean): ChartRow[] {
  if (!isRunning) return [...rows];
  return rows.map((row, index) => {
    const fromLast = rows.length - 1 - index;
    const parts = series.flatMap(({ key }) => [
      [key, fromLast === 0 ? null : row[key]],
      [runningKey(key), fromLast <= 1 ? row[key] : null],
    ]);
    return { ...row, ...Object.fromEntries(parts) };
  });
}

/** Series over UTC days or hours: an area below your own, lines for the others. */
export function TimePlot({ rows, rowKey, series, height, isStacked, axis, exact }: TimePlotProps) {
  const numberOf = (row: ChartRow, key: string) => Number(row[key] ?? 0);
  const heights = rows.flatMap((row) => {
    const values = series.map(({ key }) => numberOf(row, key));
    return isStacked ? [values.reduce((sum, value) => sum + value, 0)] : values;
  });
  const largest = Math.max(0, ...heights);
  const ticks = largest === 0 ? [0, axis.emptyTop] : axisTicks(largest, axis.smallestStep);
  const lastPoint = String(rows.at(-1)?.[rowKey] ?? "");
  const isRunning = !isStacked && rows.length > 1 && isPresent(lastPoint, new Date());
  return (
    <ResponsiveContainer width="100%" height={height}>
      <ComposedChart
        data={withRunning(rows, series, isRunning)}
        margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey={rowKey}
          tickFormatter={(date: string) => formatPoint(date)}
          tick={AXIS}
          tickLine={false}
          axisLine={{ stroke: "var(--line)" }}
          interval="equidistantPreserveStart"
          minTickGap={32}
        />
        <YAxis
          tickFormatter={axis.formatTicks(ticks)}
          ticks={ticks}
          tick={AXIS}
          tickLine={false}
          axisLine={false}
          width={56}
          domain={[0, ticks.at(-1) ?? "auto"]}
          interval={0}
        />
        <Tooltip
          cursor={{ stroke: "var(--muted)", strokeDasharray: "2 2" }}
          isAnimationActive={false}
          content={({ active, label }) =>
            active ? (
              <Tip
                title={`${formatPointInFull(String(label))}, UTC${isRunning && label === lastPoint ? ", still running" : ""}`}
                row={rows.find((row) => row[rowKey] === label)}
                series={series}
                exact={exact}
              />
            ) : null
          }
        />
        {series.flatMap(({ key, role }, index) => {
          const stroke = strokeOf(series, index);
          const dash = role === "plan" ? "5 5" : undefined;
          const parts = [{ dataKey: key, dash }];
          if (isRunning) parts.push({ dataKey: runningKey(key), dash: RUNNING });
          return parts.map(({ dataKey, dash: strokeDasharray }) =>
            role === "own" || isStacked ? (
              <Area
                key={dataKey}
                dataKey={dataKey}
                stroke={stroke}
                strokeWidth={2}
                fill={stroke}
                fillOpacity={isStacked ? 0.35 : 0.12}
                type="linear"
                dot={false}
                activeDot={{ r: 4, strokeWidth: 0, fill: stroke }}
                isAnimationActive={false}
                {...(strokeDasharray && { strokeDasharray })}
                {...(isStacked && { stackId: "all" })}
              />
            ) : (
              <Line
                key={dataKey}
                dataKey={dataKey}
                stroke={stroke}
                strokeWidth={role === "plan" ? 1.5 : 2}
                {...(strokeDasharray && { strokeDasharray })}
                type="linear"
                dot={false}
                activeDot={{ r: 3, strokeWidth: 0, fill: stroke }}
                isAnimationActive={false}
              />
            ),
          );
        })}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

interface TipProps extends Omit<PlotProps, "rows" | "rowKey"> {
  title: string;
  row: ChartRow | undefined;
}

function Tip({ title, row, series, exact }: TipProps) {
  return (
    <div className={classes.tip}>
      {title}
      <dl>
        {series.map(({ key, label }) => {
          const value = row?.[key];
          return typeof value === "number" ? (
            <div key={key}>
              <dt>{label}</dt>
              <dd>{exact(value)}</dd>
            </div>
          ) : null;
        })}
      </dl>
    </div>
  );
}

/** One bar a row, in the order of the rows, with its exact number. */
export function RankPlot({ rows, rowKey, series, exact }: PlotProps) {
  const [own] = series;
  if (own === undefined) return null;
  const amountOf = (row: ChartRow) => (typeof row[own.key] === "number" ? Number(row[own.key]) : 0);
  const largest = Math.max(...rows.map(amountOf), 0);
  return (
    <ul className={classes.ranks}>
      {rows.map((row) => (
        <li key={String(row[rowKey])} className={classes.rank}>
          <span className={classes.rankName} title={String(row[rowKey] ?? "Unknown")}>
            {row[rowKey] ?? "Unknown"}
          </span>
          <svg className={classes.bar} role="presentation" preserveAspectRatio="none" viewBox="0 0 100 1">
            <rect width="100" height="1" fill="var(--wash)" />
            <rect
              width={largest === 0 ? 0 : (amountOf(row) / largest) * 100}
              height="1"
              fill={strokeOf(series, 0)}
            />
          </svg>
          <span>{exact(amountOf(row))}</span>
        </li>
      ))}
    </ul>
  );
}
