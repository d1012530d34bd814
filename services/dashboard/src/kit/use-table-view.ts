import { useMemo, useState } from "react";
import type { CellValue } from "../format/csv.ts";
import type { Column } from "./columns.tsx";
import { isFound, knownFilters, pageNumber, parseSort, type Sort, sortRows, sortText } from "./table-rows.ts";
import { useClearUrlState, useTypedUrlState, useUrlState } from "./use-url-state.ts";

const NO_FILTERS: readonly never[] = [];

export interface Filter<Row> {
  key: string;
  label: string;
  options: readonly { value: string; label: string }[];
  matches: (row: Row, value: string) => boolean;
}

export interface TableViewOptions<Row> {
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Texts of a row that the search looks at, beside its whole key; left out: no search. */
  searchIn?: (row: Row) => readonly CellValue[];
  filters?: readonly Filter<Row>[];
  /** "-spent": by `spent`, largest first. Left out: the order in which the rows come. */
  defaultSort?: string;
  pageSize?: number;
  /** Tells apart the tables of one page in its address. */
  name?: string;
}

export type TableView<Row> = ReturnType<typeof useTableView<Row>>;

/** What of the rows is in view, by the search, filters, order and page of the address. */
export function useTableView<Row>(options: TableViewOptions<Row>, columns: readonly Column<Row>[]) {
  const {
    rows,
    rowKey,
    searchIn,
    filters = NO_FILTERS,
    pageSize = 100,
    name = "",
    defaultSort = "",
  } = options;
  const parameter = (key: string) => (name === "" ? key : `${name}-${key}`);
  const dependent = parameter("page");
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
export function useChosen<Row>(
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
