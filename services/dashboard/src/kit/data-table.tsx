import { Button, Group, Pagination, Select, Text, TextInput, Tooltip } from "@mantine/core";
import { IconDownload, IconSearch } from "@tabler/icons-react";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { type CsvValue, csvFileName, download, toCsv } from "../format/csv.ts";
import { formatCount, formatNoun } from "../format/format.ts";
import { type Column, type Columns, columnsOf } from "./columns.tsx";
import classes from "./data-table.module.css";
import { Section } from "./page.tsx";
import { PhoneRows } from "./phone-rows.tsx";
import { Failed, type ReadOutcome } from "./states.tsx";
import { isFound, knownFilters, pageNumber, parseSort, type Sort, sortRows, sortText } from "./table-rows.ts";
import { useIsPhone } from "./use-is-phone.ts";
import { useClearUrlState, useTypedUrlState, useUrlState } from "./use-url-state.ts";
import { WideRows } from "./wide-rows.tsx";

const SKELETON_ROWS = 5;
/** Two filters stand beside each other, with their gap between them. */
const HALF_OF_PHONE = "calc(50% - 4px)";
const NO_FILTERS: readonly never[] = [];

export interface Filter<Row> {
  key: string;
  label: string;
  options: readonly { value: string; label: string }[];
  matches: (row: Row, value: string) => boolean;
}

interface DataTableProps<Row> {
  /** What the table lists, for screen readers and as the name of the CSV file: "Campaigns". */
  label: string;
  /** Of a long table the same function each time: its rows are sorted again for another one. */
  columns: Columns<Row>;
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** The row is a link to this page. */
  rowTo?: (row: Row) => string;
  /** Where the rows come from; left out: from what the page has read already. */
  read?: ReadOutcome;
  /** Shown when there are no rows at all; filters that match nothing say so themselves. */
  empty: ReactNode;
  /** Texts of a row that the search looks at, beside its whole key; left out: no search. */
  searchIn?: (row: Row) => readonly CsvValue[];
  filters?: readonly Filter<Row>[];
  /** "-spent": by `spent`, largest first. Left out: the order in which the rows come. */
  defaultSort?: string;
  pageSize?: number;
  /** What can be done with the rows that were chosen and that the search and filters leave. */
  bulkActions?: (rows: Row[], deselect: (done: readonly Row[]) => void) => ReactNode;
  /** Tells apart the tables of one page in its address. */
  name?: string;
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
  const view = useView(props, columns);
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

type View<Row> = ReturnType<typeof useView<Row>>;

/** What of the rows is in view, by the search, filters, order and page of the address. */
function useView<Row>(props: DataTableProps<Row>, columns: readonly Column<Row>[]) {
  const { rows, rowKey, searchIn, filters = NO_FILTERS, pageSize = 100, name = "" } = props;
  const parameter = (key: string) => (name === "" ? key : `${name}-${key}`);
  const dependent = parameter("page");
  const { defaultSort = "" } = props;
  const [search, setSearch] = useTypedUrlState(parameter("q"), "", { dependent });
  const [sorting, setSorting] = useUrlState(parameter("sort"), defaultSort, {
    dependent,
    known: (text) => (sortValueOf(columns, parseSort(text)) === undefined ? defaultSort : text),
  });
  const [pageText, setPageText] = useUrlState(dependent, "1", { known: pageNumber });
  const [filterText, setFilterText] = useUrlState(parameter("filter"), "", {
    dependent,
    known: (text) => knownFilters(text, filters),
  });
  const showEverything = useClearUrlState([parameter("q"), parameter("filter"), dependent]);
  const filterValues = useMemo(() => new URLSearchParams(filterText), [filterText]);
  const sort = useMemo(() => parseSort(sorting), [sorting]);
  const sortValue = sortValueOf(columns, sort);
  const found = useMemo(() => {
    const kept = (rows ?? []).filter(
      (row) =>
        (search === "" || searchIn === undefined || isFound(search, searchIn(row), rowKey(row))) &&
        filters.every(({ key, matches }) => {
          const value = filterValues.get(key);
          return value === null || matches(row, value);
        }),
    );
    return sort === undefined || sortValue === undefined
      ? kept
      : sortRows(kept, sortValue, sort.isDescending);
  }, [rows, rowKey, search, searchIn, filters, filterValues, sortValue, sort]);
  const pages = Math.max(1, Math.ceil(found.length / pageSize));
  const page = Math.min(Number(pageText), pages);
  return {
    found,
    shown: found.slice((page - 1) * pageSize, page * pageSize),
    isFiltered: search !== "" || filterText !== "",
    search,
    setSearch,
    filterValues,
    setFilter: (key: string, value: string | null) => {
      const next = new URLSearchParams(filterText);
      if (value === null) next.delete(key);
      else next.set(key, value);
      setFilterText(next.toString());
    },
    showEverything,
    sort,
    setSort: (next: Sort | undefined) => setSorting(next === undefined ? "" : sortText(next)),
    pages,
    page,
    setPage: (next: number) => setPageText(String(next)),
  };
}

function sortValueOf<Row>(columns: readonly Column<Row>[], sort: Sort | undefined) {
  return columns.find(({ key }) => key === sort?.key)?.value;
}

/** Which rows were chosen, and how many of them the search or the filters hide. */
function useChosen<Row>(
  rows: readonly Row[] | undefined,
  found: readonly Row[],
  rowKey: (row: Row) => string,
) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const isChosen = (row: Row) => chosen.has(rowKey(row));
  const chosenRows = found.filter(isChosen);
  return {
    chosen,
    chosenRows,
    hiddenCount: (rows ?? []).filter(isChosen).length - chosenRows.length,
    toggle: (keys: string[], isOn: boolean) =>
      setChosen((former) => {
        const next = new Set(former);
        for (const key of keys) isOn ? next.add(key) : next.delete(key);
        return next;
      }),
    clear: () => setChosen(new Set()),
  };
}

interface SearchAndFiltersProps<Row> extends Pick<DataTableProps<Row>, "label" | "searchIn" | "filters"> {
  view: View<Row>;
}

function SearchAndFilters<Row>({ label, searchIn, filters = [], view }: SearchAndFiltersProps<Row>) {
  const isPhone = useIsPhone();
  return (
    <>
      {searchIn && (
        <TextInput
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder="Search"
          leftSection={<IconSearch size={16} stroke={1.5} />}
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
  view: View<Row>;
  /** Beside a search and filters, whose height the button then has. */
  hasTools: boolean;
}

function CountAndCsv<Row>({ label, columns, rows, view, hasTools }: CountAndCsvProps<Row>) {
  const { found, isFiltered } = view;
  const saveCsv = () => {
    const inCsv = columns.filter(({ csv, value }) => csv ?? value);
    const text = toCsv(
      inCsv.map(({ header, csvUnit }) => (csvUnit ? `${header} (${csvUnit})` : header)),
      found.map((row) => inCsv.map(({ csv, value }) => (csv ?? value)?.(row))),
    );
    download(csvFileName(label), text);
  };
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
          leftSection={<IconDownload size={16} stroke={1.5} />}
          aria-label={`CSV of ${label}`}
          onClick={saveCsv}
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
