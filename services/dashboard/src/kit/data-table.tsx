import {
  Button,
  Checkbox,
  Group,
  Pagination,
  Select,
  Skeleton,
  Table,
  Text,
  TextInput,
  Tooltip,
  UnstyledButton,
} from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconDownload, IconSearch } from "@tabler/icons-react";
import { Fragment, type ReactNode, useMemo, useState } from "react";
import { Link } from "react-router";
import { type CsvValue, download, toCsv } from "../format/csv.ts";
import { formatCount, formatNoun } from "../format/format.ts";
import { type Column, type ColumnMakers, columnMakers } from "./columns.tsx";
import classes from "./data-table.module.css";
import { Section } from "./page.tsx";
import { Failed } from "./states.tsx";
import { isFound, parseSort, sortRows, sortText } from "./table-rows.ts";
import { useIsPhone } from "./use-is-phone.ts";
import { useClearUrlState, useUrlState } from "./use-url-state.ts";

export interface Filter<Row> {
  key: string;
  label: string;
  options: readonly { value: string; label: string }[];
  matches: (row: Row, value: string) => boolean;
}

interface DataTableProps<Row> {
  /** What the table lists, for screen readers and as the name of the CSV file: "Campaigns". */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  /** The rows answer a former question; those of the present one are on their way. */
  isStale?: boolean;
  rowKey: (row: Row) => string;
  /** The row is a link to this page. */
  rowTo?: (row: Row) => string;
  error?: unknown;
  onRetry?: () => void;
  /** Shown when there are no rows at all; filters that match nothing say so themselves. */
  empty: ReactNode;
  /** Texts of a row that the search looks at; left out: no search. */
  searchIn?: (row: Row) => readonly CsvValue[];
  filters?: readonly Filter<Row>[];
  /** "-spent": by `spent`, largest first. Left out: the order in which the rows come. */
  defaultSort?: string;
  pageSize?: number;
  /** What can be done with the rows that were chosen and that the search and filters leave. */
  bulkActions?: (rows: Row[], clear: () => void) => ReactNode;
  /** Tells apart the tables of one page in its address. */
  name?: string;
  skeletonRows?: number;
  /** A short list that needs neither count nor CSV. */
  isPlain?: boolean;
}

/** A table whose search, filters, order and page are in the address; rows of three facts on a phone. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, empty, searchIn, filters = [], pageSize = 100, name = "" } = props;
  const isPhone = useIsPhone();
  const parameter = (key: string) => (name === "" ? key : `${name}-${key}`);
  const [search, setSearch] = useUrlState(parameter("q"), "", parameter("page"));
  const [sorting, setSorting] = useUrlState(parameter("sort"), props.defaultSort, parameter("page"));
  const [page, setPage] = useUrlState(parameter("page"), "1");
  const [filterText, setFilterText] = useUrlState(parameter("filter"), "", parameter("page"));
  const showEverything = useClearUrlState([parameter("q"), parameter("filter"), parameter("page")]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());

  const filterValues = useMemo(() => new URLSearchParams(filterText), [filterText]);
  const sort = useMemo(() => parseSort(sorting), [sorting]);
  const sortColumn = columns.find(({ key }) => key === sort?.key);

  const found = useMemo(() => {
    const kept = (rows ?? []).filter(
      (row) =>
        (search === "" || searchIn === undefined || isFound(search, searchIn(row))) &&
        filters.every(({ key, matches }) => {
          const value = filterValues.get(key);
          return value === null || matches(row, value);
        }),
    );
    if (sort === undefined || sortColumn?.value === undefined) return kept;
    return sortRows(kept, sortColumn.value, sort.isDescending);
  }, [rows, search, searchIn, filters, filterValues, sortColumn, sort]);

  if (props.error !== undefined && props.error !== null && rows === undefined) {
    return (
      <div className={classes.frame}>
        <Failed
          what={`${label} could not be loaded.`}
          error={props.error}
          {...(props.onRetry && { onRetry: props.onRetry })}
        />
      </div>
    );
  }
  if (rows !== undefined && rows.length === 0) return <div className={classes.frame}>{empty}</div>;

  const pages = Math.max(1, Math.ceil(found.length / pageSize));
  const shownPage = Math.min(Math.max(1, Number(page) || 1), pages);
  const shown = found.slice((shownPage - 1) * pageSize, shownPage * pageSize);
  const isFiltered = search !== "" || filterText !== "";
  const chosenRows = found.filter((row) => chosen.has(rowKey(row)));
  const hiddenCount = (rows ?? []).filter((row) => chosen.has(rowKey(row))).length - chosenRows.length;
  const clear = () => setChosen(new Set());
  const toggle = (keys: string[], isOn: boolean) =>
    setChosen((former) => {
      const next = new Set(former);
      for (const key of keys) isOn ? next.add(key) : next.delete(key);
      return next;
    });
  const setFilter = (key: string, value: string | null) => {
    const next = new URLSearchParams(filterText);
    if (value === null) next.delete(key);
    else next.set(key, value);
    setFilterText(next.toString());
  };
  const saveCsv = () => {
    const inCsv = columns.filter(({ csv, value }) => csv ?? value);
    const text = toCsv(
      inCsv.map(({ header, csvUnit }) => (csvUnit ? `${header} (${csvUnit})` : header)),
      found.map((row) => inCsv.map(({ csv, value }) => (csv ?? value)?.(row))),
    );
    download(`${label.toLowerCase().replaceAll(/\W+/g, "-")}.csv`, text);
  };

  const hasTools = searchIn !== undefined || filters.length > 0;
  const orders =
    isPhone && props.isPlain !== true && (rows?.length ?? 0) > 1 ? ordersOf(columns, sorting) : [];
  const sortSelect = orders.length > 1 && (
    <Select
      aria-label={`Sort ${label.toLowerCase()} by`}
      placeholder="Sort by"
      data={orders}
      value={sorting === "" ? null : sorting}
      onChange={(value) => setSorting(value ?? "")}
      allowDeselect={false}
      w={hasTools ? 180 : "100%"}
    />
  );
  const countAndCsv = (
    <>
      <Text c="dimmed" fz="xs" ml="auto" aria-live="polite">
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
    </>
  );

  return (
    <div>
      {props.isPlain !== true && hasTools && (
        <Group mb="sm" gap="xs" wrap="wrap">
          {searchIn && (
            <TextInput
              aria-label={`Search ${label.toLowerCase()}`}
              placeholder="Search"
              leftSection={<IconSearch size={16} stroke={1.5} />}
              value={search}
              onChange={({ currentTarget }) => setSearch(currentTarget.value)}
              w={isPhone ? "100%" : 240}
            />
          )}
          {filters.map(({ key, label: filterLabel, options }) => (
            <Select
              key={key}
              aria-label={filterLabel}
              placeholder={filterLabel}
              data={[...options]}
              value={filterValues.get(key)}
              onChange={(value) => setFilter(key, value)}
              clearable
              w={180}
            />
          ))}
          {sortSelect}
          {countAndCsv}
        </Group>
      )}
      {!hasTools && sortSelect && <div className={classes.order}>{sortSelect}</div>}
      {props.bulkActions && chosenRows.length + hiddenCount > 0 && (
        <Group className={classes.bulk ?? ""} gap="sm" role="region" aria-label="Chosen rows">
          <Text fw={600}>
            {formatCount(chosenRows.length)} chosen
            {hiddenCount > 0 && `, ${formatCount(hiddenCount)} more hidden by the search or filters`}
          </Text>
          {chosenRows.length > 0 && props.bulkActions(chosenRows, clear)}
          <Button variant="subtle" color="gray" onClick={clear}>
            Clear
          </Button>
        </Group>
      )}
      <div className={classes.frame} aria-busy={props.isStale === true}>
        {isPhone ? (
          <PhoneRows
            {...props}
            shown={rows === undefined ? undefined : shown}
            chosen={chosen}
            onToggle={toggle}
          />
        ) : (
          <div className={classes.scroll}>
            <Table highlightOnHover={props.rowTo !== undefined} className={classes.table ?? ""}>
              <caption className="sr-only">{label}</caption>
              <Table.Thead>
                <Table.Tr>
                  {props.bulkActions && (
                    <Table.Th w={44}>
                      <Checkbox
                        aria-label="Choose every row of this page"
                        checked={shown.length > 0 && shown.every((row) => chosen.has(rowKey(row)))}
                        indeterminate={
                          shown.some((row) => chosen.has(rowKey(row))) &&
                          !shown.every((row) => chosen.has(rowKey(row)))
                        }
                        onChange={({ currentTarget }) => toggle(shown.map(rowKey), currentTarget.checked)}
                      />
                    </Table.Th>
                  )}
                  {columns.map((column) => (
                    <HeaderCell
                      key={column.key}
                      column={column}
                      direction={
                        sort?.key === column.key
                          ? sort.isDescending
                            ? "descending"
                            : "ascending"
                          : undefined
                      }
                      onSort={() => {
                        const isNumber = column.align === "right";
                        const isSame = sort?.key === column.key;
                        const isDescending = isSame ? !sort.isDescending : isNumber;
                        setSorting(sortText({ key: column.key, isDescending }));
                      }}
                    />
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows === undefined
                  ? Array.from({ length: props.skeletonRows ?? 5 }, (_, index) => (
                      <Table.Tr key={index}>
                        {props.bulkActions && <Table.Td />}
                        {columns.map(({ key, align }) => (
                          <Table.Td key={key}>
                            <Skeleton
                              height={14}
                              my={4}
                              width={align === "right" ? 64 : "70%"}
                              ml={align === "right" ? "auto" : 0}
                            />
                          </Table.Td>
                        ))}
                      </Table.Tr>
                    ))
                  : shown.map((row) => (
                      <Table.Tr key={rowKey(row)} className={props.rowTo ? (classes.linked ?? "") : ""}>
                        {props.bulkActions && (
                          <Table.Td className={classes.above ?? ""}>
                            <Checkbox
                              aria-label={`Choose ${titleOf(columns, row)}`}
                              checked={chosen.has(rowKey(row))}
                              onChange={({ currentTarget }) => toggle([rowKey(row)], currentTarget.checked)}
                            />
                          </Table.Td>
                        )}
                        {columns.map((column, index) => (
                          <Table.Td key={column.key} ta={column.align ?? "left"} data-align={column.align}>
                            {index === 0 && props.rowTo ? (
                              <Link to={props.rowTo(row)} className={classes.link ?? ""}>
                                {column.cell(row)}
                              </Link>
                            ) : (
                              column.cell(row)
                            )}
                          </Table.Td>
                        ))}
                      </Table.Tr>
                    ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
        {rows !== undefined && shown.length === 0 && (
          <Group justify="center" p="xl" gap="sm">
            <Text c="dimmed">Nothing matches the search and filters.</Text>
            <Button variant="default" onClick={showEverything}>
              Show everything
            </Button>
          </Group>
        )}
      </div>
      {props.isPlain !== true && !hasTools && rows !== undefined && (
        <Group mt="xs" gap="xs">
          {countAndCsv}
        </Group>
      )}
      {pages > 1 && (
        <Group justify="center" mt="md">
          <Pagination
            total={pages}
            value={shownPage}
            onChange={(next) => setPage(String(next))}
            getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
          />
        </Group>
      )}
    </div>
  );
}

interface TableSectionProps<Row>
  extends Omit<DataTableProps<Row>, "label" | "columns" | "error" | "onRetry"> {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  /** The query that the rows come from. */
  read: { error: unknown; isPlaceholderData?: boolean; refetch: () => unknown };
  columns: (make: ColumnMakers<Row>) => readonly Column<Row>[];
}

/** A part of a page that is one table of what was read. */
export function TableSection<Row>(props: TableSectionProps<Row>) {
  const { title, about, actions, read, columns, ...table } = props;
  return (
    <Section title={title} about={about} actions={actions}>
      <DataTable
        label={title}
        error={read.error}
        isStale={read.isPlaceholderData === true}
        onRetry={() => void read.refetch()}
        columns={columns(columnMakers<Row>())}
        {...table}
      />
    </Section>
  );
}

/** The orders that a phone, which shows no header to press, offers: numbers largest first, and the order in force. */
function ordersOf<Row>(columns: readonly Column<Row>[], sorting: string) {
  const inForce = parseSort(sorting);
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

function titleOf<Row>(columns: readonly Column<Row>[], row: Row): string {
  const [first] = columns;
  return String(first?.value?.(row) ?? "row");
}

interface HeaderCellProps<Row> {
  column: Column<Row>;
  direction: "ascending" | "descending" | undefined;
  onSort: () => void;
}

function HeaderCell<Row>({ column, direction, onSort }: HeaderCellProps<Row>) {
  const { header, align, help, value } = column;
  const Arrow = direction === "descending" ? IconArrowDown : IconArrowUp;
  const text = value ? (
    <UnstyledButton onClick={onSort} className={classes.sort ?? ""}>
      {header}
      {direction && <Arrow size={14} stroke={1.5} aria-hidden="true" />}
    </UnstyledButton>
  ) : (
    header
  );
  return (
    <Table.Th ta={align ?? "left"} {...(direction && { "aria-sort": direction })}>
      {help ? (
        <Tooltip label={help}>
          {/* A header that sorts nothing takes the focus itself, for its help. */}
          <span {...(value === undefined && { tabIndex: 0 })}>{text}</span>
        </Tooltip>
      ) : (
        text
      )}
    </Table.Th>
  );
}

/** What a row is about: more than one column where none of them says it alone. */
function titleCells<Row>(titles: readonly Column<Row>[], row: Row): ReactNode {
  return titles.map((column, index) => (
    <Fragment key={column.key}>
      {index > 0 && " · "}
      {column.cell(row)}
    </Fragment>
  ));
}

interface PhoneRowsProps<Row> extends DataTableProps<Row> {
  shown: readonly Row[] | undefined;
  /** Keys of the rows that were chosen. */
  chosen: ReadonlySet<string>;
  onToggle: (keys: string[], isOn: boolean) => void;
}

/** Rows of three facts that open. */
function PhoneRows<Row>(props: PhoneRowsProps<Row>) {
  const { columns, shown, rowKey, rowTo, label, chosen, onToggle } = props;
  if (shown === undefined) {
    return (
      <div className={classes.phoneSkeleton}>
        {[1, 2, 3, 4].map((row) => (
          <Skeleton key={row} height={44} my={12} />
        ))}
      </div>
    );
  }
  const named = columns.filter(({ phone }) => phone === "title");
  const titles = named.length > 0 ? named : columns.slice(0, 1);
  const facts = columns.filter(({ phone }) => phone === "fact").slice(0, 2);
  const more = columns.filter(
    (column) => !titles.includes(column) && !facts.includes(column) && column.phone !== "none",
  );
  return (
    <ul className={classes.phoneRows} aria-label={label}>
      {shown.map((row) => (
        <li key={rowKey(row)}>
          <div className={classes.phoneTitle}>
            {props.bulkActions && (
              <Checkbox
                size="md"
                aria-label={`Choose ${titleOf(columns, row)}`}
                checked={chosen.has(rowKey(row))}
                onChange={({ currentTarget }) => onToggle([rowKey(row)], currentTarget.checked)}
              />
            )}
            {rowTo ? <Link to={rowTo(row)}>{titleCells(titles, row)}</Link> : titleCells(titles, row)}
          </div>
          <dl className={classes.phoneFacts}>
            {facts.map((column) => (
              <div key={column.key}>
                {/* The heading of a plain list with one fact a row says what it is. */}
                <dt className={props.isPlain && facts.length === 1 ? "sr-only" : undefined}>
                  {column.header}
                </dt>
                <dd>{column.cell(row)}</dd>
              </div>
            ))}
          </dl>
          {more.length > 0 && (
            <details>
              <summary>More</summary>
              <dl className={classes.phoneMore}>
                {more.map((column) => (
                  <div key={column.key}>
                    <dt>
                      {column.header}
                      {column.help && <small>{column.help}</small>}
                    </dt>
                    <dd>{column.cell(row)}</dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
