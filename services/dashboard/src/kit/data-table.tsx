import { Button, Group, Pagination, Select, Text, TextInput, Tooltip } from "@mantine/core";
import { IconDownload, IconSearch } from "@tabler/icons-react";
import { type ReactNode, useMemo, useRef } from "react";
import { downloadRows } from "../format/csv.ts";
import { formatCount, formatNoun } from "../format/format.ts";
import { type Column, type Columns, columnsOf } from "./columns.tsx";
import classes from "./data-table.module.css";
import { Section } from "./page.tsx";
import { PhoneRows } from "./phone-rows.tsx";
import { Failed, type Read } from "./states.tsx";
import { parseSort, type Sort, sortText } from "./table-rows.ts";
import { useIsPhone } from "./use-is-phone.ts";
import { type TableView, type TableViewOptions, useChosen, useTableView } from "./use-table-view.ts";
import { WideRows } from "./wide-rows.tsx";

const SKELETON_ROWS = 5;
/** Two filters stand beside each other, with their gap between them. */
const HALF_OF_PHONE = "calc(50% - 4px)";

interface DataTableProps<Row> extends TableViewOptions<Row> {
  /** What the table lists, for screen readers and as the name of the CSV file: "Campaigns". */
  label: string;
  /** Of a long table the same function each time: its rows are sorted again for another one. */
  columns: Columns<Row>;
  /** The row is a link to this page. */
  rowTo?: (row: Row) => string;
  /** Where the rows come from; left out: from what the page has read already. */
  read?: Read;
  /** Shown when there are no rows at all; filters that match nothing say so themselves. */
  empty: ReactNode;
  /** What can be done with the rows that were chosen and that the search and filters leave. */
  bulkActions?: (rows: Row[], deselect: (done: readonly Row[]) => void) => ReactNode;
  skeletonRows?: number;
  /** A short list that needs neither count nor CSV. */
  isPlain?: boolean;
  /** Stand in the CSV alone, after the others. */
  csvColumns?: Columns<Row>;
}

/** A table whose search, filters, order and page are in the address; rows of three facts on a phone. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, read, rowKey, rowTo, bulkActions, isPlain = false } = props;
  const isPhone = useIsPhone();
  const table = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => columnsOf(props.columns), [props.columns]);
  const view = useTableView(props, columns);
  const { found, shown, pages, page, sort } = view;
  const { chosen, chosenRows, hiddenCount, toggle, clear } = useChosen(rows, found, rowKey);
  const onOtherPages = chosenRows.length - shown.filter((row) => chosen.has(rowKey(row))).length;

  if (read?.error && rows === undefined) {
    return (
      <div className={classes.frame}>
        <Failed what={`${label} could not be loaded.`} read={read} />
      </div>
    );
  }
  if (rows !== undefined && rows.length === 0) return <div className={classes.frame}>{props.empty}</div>;

  const hasTools = props.searchIn !== undefined || (props.filters ?? []).length > 0;
  const orders = isPhone && !isPlain && (rows?.length ?? 0) > 1 ? ordersOf(columns, sort) : [];
  const sortSelect = orders.length > 1 && (
    <Select
      aria-label={`Sort ${label.toLowerCase()} by`}
      placeholder="Sort by"
      data={orders}
      value={sort === undefined ? null : sortText(sort)}
      onChange={(value) => view.setSort(parseSort(value ?? ""))}
      allowDeselect={false}
      w={hasTools ? HALF_OF_PHONE : "100%"}
    />
  );
  const csvColumns = [...columns, ...(props.csvColumns ? columnsOf(props.csvColumns) : [])];
  const countAndCsv = <CountAndCsv {...{ label, columns: csvColumns, rows, view, hasTools }} />;
  const rowsProps = {
    label,
    columns,
    shown: rows && shown,
    rowKey,
    rowTo,
    isChoosable: bulkActions !== undefined,
    chosen,
    onToggle: toggle,
  };

  const turnTo = (page: number) => {
    view.setPage(page);
    table.current?.scrollIntoView();
  };

  return (
    <div ref={table} className={classes.table}>
      {!isPlain && hasTools && (
        <Group mb="sm" gap="xs" wrap="wrap">
          <SearchAndFilters label={label} searchIn={props.searchIn} filters={props.filters} view={view} />
          {sortSelect}
          {countAndCsv}
        </Group>
      )}
      {!hasTools && sortSelect && <div className={classes.order}>{sortSelect}</div>}
      {bulkActions && chosenRows.length + hiddenCount > 0 && (
        <Group className={classes.bulk ?? ""} gap="sm" role="region" aria-label="Chosen rows">
          <Text fw={600}>
            {formatCount(chosenRows.length)} chosen
            {onOtherPages > 0 && `, ${formatCount(onOtherPages)} of them on other pages`}
            {hiddenCount > 0 && `, ${formatCount(hiddenCount)} more hidden by the search or filters`}
          </Text>
          {/* The checkbox above the rows, which a phone has no room for, chooses those of its page. */}
          {(isPhone || pages > 1) && chosenRows.length < found.length && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              onClick={() => toggle(found.map(rowKey), true)}
            >
              Choose all {formatCount(found.length)}
              {view.isFiltered && " that match"}
            </Button>
          )}
          {chosenRows.length > 0 && bulkActions(chosenRows, (done) => toggle(done.map(rowKey), false))}
          <Button variant="subtle" color="gray" size="compact-sm" onClick={clear}>
            Clear
          </Button>
        </Group>
      )}
      <div className={classes.frame} aria-busy={read?.isPlaceholderData === true}>
        {isPhone ? (
          <PhoneRows {...rowsProps} isPlain={isPlain} />
        ) : (
          <WideRows
            {...rowsProps}
            sort={sort}
            onSort={view.setSort}
            skeletonRows={props.skeletonRows ?? SKELETON_ROWS}
          />
        )}
        {rows !== undefined && shown.length === 0 && (
          <Group justify="center" p="xl" gap="sm">
            <Text c="dimmed">Nothing matches the search and filters.</Text>
            <Button variant="default" onClick={view.showEverything}>
              Show everything
            </Button>
          </Group>
        )}
      </div>
      {!isPlain && !hasTools && rows !== undefined && (
        <Group mt="xs" gap="xs">
          {countAndCsv}
        </Group>
      )}
      {pages > 1 && (
        <Group justify="center" mt="md">
          <Pagination
            total={pages}
            value={page}
            onChange={turnTo}
            getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
          />
        </Group>
      )}
    </div>
  );
}

interface SearchAndFiltersProps<Row> extends Pick<DataTableProps<Row>, "label" | "searchIn" | "filters"> {
  view: TableView<Row>;
}

function SearchAndFilters<Row>({ label, searchIn, filters = [], view }: SearchAndFiltersProps<Row>) {
  const isPhone = useIsPhone();
  return (
    <>
      {searchIn && (
        <TextInput
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder="Search"
          leftSection={<IconSearch size={16} />}
          value={view.search}
          onChange={({ currentTarget }) => view.setSearch(currentTarget.value)}
          w={isPhone ? "100%" : 240}
        />
      )}
      {filters.map(({ key, label: filterLabel, options }) => (
        <Select
          key={key}
          aria-label={filterLabel}
          placeholder={filterLabel}
          data={[...options]}
          value={view.filterValues.get(key)}
          onChange={(value) => view.setFilter(key, value)}
          clearable
          w={isPhone ? HALF_OF_PHONE : 180}
        />
      ))}
    </>
  );
}

interface CountAndCsvProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  view: TableView<Row>;
  /** Beside a search and filters, whose height the button then has. */
  hasTools: boolean;
}

function CountAndCsv<Row>({ label, columns, rows, view, hasTools }: CountAndCsvProps<Row>) {
  const { found, isFiltered } = view;
  const inCsv = columns.flatMap(({ header, csvUnit: unit, value, csv: cellOf = value }) =>
    cellOf === undefined ? [] : [{ header, unit, cellOf }],
  );
  return (
    <Group gap="xs" wrap="nowrap" ml="auto">
      <Text c="dimmed" fz="xs" aria-live="polite">
        {rows === undefined
          ? ""
          : isFiltered
            ? `${formatCount(found.length)} of ${formatNoun(rows.length, "row")}`
            : formatNoun(rows.length, "row")}
      </Text>
      <Tooltip label="Download what is listed as CSV">
        <Button
          variant="default"
          size={hasTools ? "sm" : "compact-sm"}
          leftSection={<IconDownload size={16} />}
          aria-label={`CSV of ${label}`}
          onClick={() => downloadRows(label, inCsv, found)}
          disabled={rows === undefined}
        >
          CSV
        </Button>
      </Tooltip>
    </Group>
  );
}

/** The orders that a phone, which shows no header to press, offers: numbers largest first, and the order in force. */
function ordersOf<Row>(columns: readonly Column<Row>[], inForce: Sort | undefined) {
  return columns.flatMap(({ key, header, value, align }) => {
    if (value === undefined) return [];
    const natural = { key, isDescending: align === "right" };
    const isReversed = inForce?.key === key && inForce.isDescending !== natural.isDescending;
    return (isReversed ? [natural, inForce] : [natural]).map((order) => ({
      value: sortText(order),
      label: order === natural ? header : `${header}, reversed`,
    }));
  });
}

interface TableSectionProps<Row> extends Omit<DataTableProps<Row>, "label"> {
  title: string;
  /** Default: the title. */
  label?: string;
  about?: ReactNode;
  actions?: ReactNode;
}

/** A part of a page that is one table. */
export function TableSection<Row>(props: TableSectionProps<Row>) {
  const { title, label = title, about, actions, ...table } = props;
  return (
    <Section title={title} about={about} actions={actions}>
      <DataTable label={label} {...table} />
    </Section>
  );
}
