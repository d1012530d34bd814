import { Button, Group, SegmentedControl, Skeleton, Table, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type CSSProperties, lazy, type ReactNode, Suspense, useState } from "react";
import { downloadRows } from "../format/csv.ts";
import {
  dollarsOfCents,
  formatAxisCents,
  formatCompact,
  formatCount,
  formatDecimal,
  formatExactCents,
  formatPointInFull,
  formatShare,
} from "../format/format.ts";
import { Failed, type Read } from "../kit/states.tsx";
import classes from "./chart.module.css";
import {
  type Axis,
  type ChartRow,
  type Series,
  STROKES,
  tableOrder,
  type ValueFormat,
} from "./chart-data.ts";
import { MAX_LABELLED_SERIES } from "./series-labels.ts";

const TimePlot = lazy(() => import("./plots.tsx").then(({ TimePlot }) => ({ default: TimePlot })));
const RankPlot = lazy(() => import("./plots.tsx").then(({ RankPlot }) => ({ default: RankPlot })));

const EXACT: Record<ValueFormat, (value: number) => string> = {
  cents: formatExactCents,
  count: formatCount,
  share: formatShare,
  decimal: formatDecimal,
};
/** How the gridlines of an axis are named, and the least step between them. */
const AXES: Record<ValueFormat, Axis> = {
  cents: { formatTicks: formatAxisCents, smallestStep: 1, emptyTop: 100 },
  count: { formatTicks: () => formatCompact, smallestStep: 1, emptyTop: 1 },
  share: { formatTicks: () => formatShare, smallestStep: 0.01, emptyTop: 1 },
  decimal: { formatTicks: () => formatDecimal, smallestStep: 0.01, emptyTop: 1 },
};

/** Above the tabs of a page, whose content begins in view. */
export const REPORT_CHART_HEIGHT = 200;

interface ChartProps {
  title: string;
  /** One sentence: what is counted, and how. */
  about?: ReactNode;
  /** `time`: rows by UTC day or hour, oldest first. `rank`: bars, in the order of the rows. */
  kind: "time" | "stacked" | "rank";
  rows: readonly ChartRow[] | undefined;
  /** The field that names a row: a day `YYYY-MM-DD` or the moment an hour begins over time, any text in a ranking. */
  rowKey: string;
  rowLabel: string;
  series: readonly Series[];
  format: ValueFormat;
  height?: number;
  /** Where the rows come from; left out: from what the page has read already. */
  read?: Read;
  /** What stands there when there are no rows. */
  empty?: ReactNode;
  actions?: ReactNode;
  /** The rows are made up: nobody needs them as CSV. */
  isSample?: boolean;
}

/** A chart with its table and CSV one click away. */
export function Chart(props: ChartProps) {
  const { title, about, kind, rows, read, rowKey, rowLabel, series, format, height = 260, actions } = props;
  const [view, setView] = useState<"chart" | "table">("chart");
  const isTime = kind !== "rank";
  // The title names a single series.
  const isNamed = series.length > 1 || kind === "stacked";
  const isLabelled = isTime && isNamed && series.length <= MAX_LABELLED_SERIES;
  const nameOf = (row: ChartRow) =>
    isTime ? formatPointInFull(String(row[rowKey])) : String(row[rowKey] ?? "Unknown");
  const listed = isTime ? tableOrder(rows ?? [], rowKey, new Date()) : { past: rows ?? [], ahead: [] };
  const tableRow = (row: ChartRow) => (
    <Table.Tr key={String(row[rowKey])}>
      <Table.Td>{nameOf(row)}</Table.Td>
      {series.map(({ key }) => (
        <Table.Td key={key} ta="right">
          {typeof row[key] === "number" ? EXACT[format](row[key]) : ""}
        </Table.Td>
      ))}
    </Table.Tr>
  );
  const saveCsv = () => {
    const isMoney = format === "cents";
    const columns = series.map(({ key, label }) => ({
      header: label,
      unit: isMoney ? ("USD" as const) : undefined,
      cellOf: ({ [key]: value }: ChartRow) =>
        isMoney && typeof value === "number" ? dollarsOfCents(value) : value,
    }));
    downloadRows(title, [{ header: rowLabel, cellOf: (row) => row[rowKey] }, ...columns], rows ?? []);
  };
  return (
    <section className={classes.chart} aria-label={title} aria-busy={read?.isPlaceholderData === true}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="sm">
        <div className={classes.words}>
          <Title order={2} fz="md">
            {title}
          </Title>
          {about && (
            <Text c="dimmed" fz="xs">
              {about}
            </Text>
          )}
        </div>
        <Group gap="xs">
          {actions}
          {rows?.length !== 0 && (
            <>
              <SegmentedControl
                size="xs"
                aria-label={`${title}: view`}
                data={[
                  { value: "chart", label: "Chart" },
                  { value: "table", label: "Table" },
                ]}
                value={view}
                onChange={(next) => setView(next === "table" ? "table" : "chart")}
              />
              {!props.isSample && (
                <Button
                  size="compact-sm"
                  variant="default"
                  leftSection={<IconDownload size={14} />}
                  onClick={saveCsv}
                  disabled={rows === undefined}
                >
                  CSV
                </Button>
              )}
            </>
          )}
        </Group>
      </Group>
      {read?.error && rows === undefined ? (
        <Failed what={`The chart "${title}" could not be loaded.`} read={read} />
      ) : rows === undefined ? (
        <Skeleton height={height} />
      ) : rows.length === 0 ? (
        props.empty
      ) : view === "table" ? (
        <div className={classes.table}>
          <Table>
            <caption className="sr-only">{title}</caption>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{isTime ? `${rowLabel} (UTC)` : rowLabel}</Table.Th>
                {series.map(({ key, label }) => (
                  <Table.Th key={key} ta="right">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {listed.past.map(tableRow)}
              {listed.ahead.length > 0 && (
                <Table.Tr>
                  <Table.Th colSpan={1 + series.length} scope="rowgroup">
                    Ahead
                  </Table.Th>
                </Table.Tr>
              )}
              {listed.ahead.map(tableRow)}
            </Table.Tbody>
          </Table>
        </div>
      ) : (
        <>
          {isNamed && (
            <ul className={isLabelled ? "sr-only" : classes.key} aria-label="Series">
              {series.map(({ key, label, role }) => (
                <li key={key} data-role={role} style={{ "--series": STROKES[role] } as CSSProperties}>
                  {label}
                </li>
              ))}
            </ul>
          )}
          <Suspense fallback={<Skeleton height={height} />}>
            {isTime ? (
              <TimePlot
                title={title}
                rows={rows}
                rowKey={rowKey}
                series={series}
                height={height}
                isStacked={kind === "stacked"}
                isLabelled={isLabelled}
                axis={AXES[format]}
                exact={EXACT[format]}
              />
            ) : (
              <RankPlot title={title} rows={rows} rowKey={rowKey} series={series} exact={EXACT[format]} />
            )}
          </Suspense>
        </>
      )}
    </section>
  );
}
