import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
  XAxis,
  YAxis,
} from "recharts";
import { formatPoint, formatPointInFull, isCurrent } from "../format/format.ts";
import { useIsPhone } from "../kit/use-is-phone.ts";
import { axisTicks } from "./axis.ts";
import classes from "./chart.module.css";
import { type Axis, type ChartRow, type Series, STROKES, textColorOf } from "./chart-data.ts";
import {
  LABEL_GAP_PX,
  LINE_HEIGHT_PX,
  labelLines,
  labelWidth,
  leaderOf,
  placeLabels,
  type SeriesEnd,
  seriesEnds,
} from "./series-labels.ts";

interface PlotProps {
  title: string;
  rows: readonly ChartRow[];
  rowKey: string;
  series: readonly Series[];
  /** As in a tooltip: to the last digit. */
  exact: (value: number) => string;
}

interface TimePlotProps extends PlotProps {
  height: number;
  isStacked: boolean;
  /** Whether each series is named at its last point. */
  isLabelled: boolean;
  axis: Axis;
}

const AXIS = { fontSize: 13, fill: "var(--muted)" };
const RUNNING = "2 4";
const PLAN = "5 5";
const MARGIN_PX = 8;
/** Keeps the first day below the zero beside it. */
const TICK_MARGIN_PX = 8;
const MAX_LETTERS = 24;
const MAX_LETTERS_ON_PHONE = 11;

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
export function TimePlot(props: TimePlotProps) {
  const { title, rows, rowKey, series, height, isStacked, isLabelled, axis, exact } = props;
  const isPhone = useIsPhone();
  const ends = isLabelled ? seriesEnds(rows, series, isStacked) : [];
  const linesOf = (label: string) => labelLines(label, isPhone ? MAX_LETTERS_ON_PHONE : MAX_LETTERS);
  const widths = ends
    .filter(({ row }) => row === rows.length - 1)
    .map(({ series: { label } }) => labelWidth(linesOf(label)));
  const right = widths.length === 0 ? MARGIN_PX : LABEL_GAP_PX + Math.max(...widths);
  const numberOf = (row: ChartRow, key: string) => Number(row[key] ?? 0);
  const heights = rows.flatMap((row) => {
    const values = series.map(({ key }) => numberOf(row, key));
    return isStacked ? [values.reduce((sum, value) => sum + value, 0)] : values;
  });
  const largest = Math.max(0, ...heights);
  const ticks = largest === 0 ? [0, axis.emptyTop] : axisTicks(largest, axis.smallestStep);
  const lastPoint = String(rows.at(-1)?.[rowKey] ?? "");
  const isRunning = !isStacked && rows.length > 1 && isCurrent(lastPoint, new Date());
  return (
    <ResponsiveContainer width="100%" height={height}>
      <ComposedChart
        aria-label={title}
        data={withRunning(rows, series, isRunning)}
        margin={{ top: MARGIN_PX, right, bottom: 0, left: 0 }}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey={rowKey}
          tickFormatter={(date: string) => formatPoint(date)}
          tick={AXIS}
          tickLine={false}
          tickMargin={TICK_MARGIN_PX}
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
        {series.flatMap(({ key, role }) => {
          const stroke = STROKES[role];
          const dash = role === "plan" ? PLAN : undefined;
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
        <SeriesLabels rows={rows} rowKey={rowKey} ends={ends} linesOf={linesOf} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

interface SeriesLabelsProps extends Pick<PlotProps, "rows" | "rowKey"> {
  ends: readonly SeriesEnd[];
  linesOf: (label: string) => string[];
}

/** The names of the series at their last points; a list beside the plot says them to screen readers. */
function SeriesLabels({ rows, rowKey, ends, linesOf }: SeriesLabelsProps) {
  const plot = usePlotArea();
  const scaleX = useXAxisScale();
  const scaleY = useYAxisScale();
  if (plot === undefined || scaleX === undefined || scaleY === undefined) return null;
  const points = ends.map(({ series: { label }, row, value }) => {
    const isBelow = (other: SeriesEnd) => {
      const there = rows[row]?.[other.series.key];
      return other.series.label !== label && typeof there === "number" && there < value;
    };
    return {
      x: Number(scaleX(rows[row]?.[rowKey])),
      y: Number(scaleY(value)),
      lines: linesOf(label),
      isAboveOther: ends.some(isBelow),
    };
  });
  const lines = ends.map(({ series: { key } }) =>
    rows.flatMap((row) => {
      const value = row[key];
      return typeof value === "number" ? [{ x: Number(scaleX(row[rowKey])), y: Number(scaleY(value)) }] : [];
    }),
  );
  const positions = placeLabels(points, plot, lines);
  return (
    <svg aria-hidden="true" className={classes.labels}>
      {ends.map(({ series: { key, role } }, index) => {
        const [point, position] = [points[index], positions[index]];
        if (point === undefined || position === undefined) return null;
        const { x, y, anchor } = position;
        const leader = leaderOf(point, position);
        return (
          <g key={key}>
            {leader !== undefined && (
              <line
                x1={leader.from.x}
                y1={leader.from.y}
                x2={leader.to.x}
                y2={leader.to.y}
                stroke={STROKES[role]}
                strokeWidth={1}
              />
            )}
            <text x={x} textAnchor={anchor} fill={textColorOf(role)} data-role={role}>
              {point.lines.map((line, at) => (
                <tspan
                  key={line}
                  x={x}
                  y={y + (at - (point.lines.length - 1) / 2) * LINE_HEIGHT_PX}
                  dominantBaseline="central"
                >
                  {line}
                </tspan>
              ))}
            </text>
          </g>
        );
      })}
    </svg>
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
export function RankPlot({ title, rows, rowKey, series, exact }: PlotProps) {
  const [own] = series;
  if (own === undefined) return null;
  const amountOf = (row: ChartRow) => (typeof row[own.key] === "number" ? Number(row[own.key]) : 0);
  const largest = Math.max(...rows.map(amountOf), 0);
  return (
    <ul className={classes.ranks} aria-label={title}>
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
              fill={STROKES[own.role]}
            />
          </svg>
          <span>{exact(amountOf(row))}</span>
        </li>
      ))}
    </ul>
  );
}
