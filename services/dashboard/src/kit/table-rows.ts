import type { CellValue } from "../format/csv.ts";
import type { Column } from "./columns.tsx";

/** "-spent" sorts by `spent`, largest first. */
export interface Sort {
  key: string;
  isDescending: boolean;
}

export function parseSort(text: string): Sort | undefined {
  if (text === "") return undefined;
  return text.startsWith("-")
    ? { key: text.slice(1), isDescending: true }
    : { key: text, isDescending: false };
}

export function sortText({ key, isDescending }: Sort): string {
  return `${isDescending ? "-" : ""}${key}`;
}

/** Of filters in an address, "status=active&serving=no", those that a table has, with a value that they offer. */
export function knownFilters(
  text: string,
  filters: readonly { key: string; options: readonly { value: string }[] }[],
): string {
  const offered = [...new URLSearchParams(text)].filter(([key, value]) =>
    filters.some((filter) => filter.key === key && filter.options.some((option) => option.value === value)),
  );
  return new URLSearchParams(offered).toString();
}

/** A page of an address, counted from 1. */
export function pageNumber(text: string): string {
  return /^[1-9]\d{0,5}$/.test(text) ? text : "1";
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The rows in order; those without a value come last either way. Equal ones keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  valueOfRow: (row: Row) => CellValue,
  isDescending: boolean,
): Row[] {
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [first, second] = [valueOfRow(one), valueOfRow(other)];
    const isFirstMissing = first === null || first === undefined;
    const isSecondMissing = second === null || second === undefined;
    if (isFirstMissing || isSecondMissing) return Number(isFirstMissing) - Number(isSecondMissing);
    if (typeof first === "string" || typeof second === "string") {
      return sign * collator.compare(String(first), String(second));
    }
    return sign * (Number(first) - Number(second));
  });
}

/**
 * Whether each word of the search occurs in one of the texts, without regard to case, or the search is the whole
 * identifier: parts of it occur in many.
 */
export function isFound(search: string, texts: readonly CellValue[], id: string): boolean {
  if (search.trim() === id) return true;
  const all = texts.join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** The columns that say what a row is about: more than one where none of them says it alone. */
export function titleColumns<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const named = columns.filter(({ phone }) => phone === "title");
  return named.length > 0 ? named : columns.slice(0, 1);
}

/** What a row is called where it is spoken of. */
export function titleOf<Row>(columns: readonly Column<Row>[], row: Row): string {
  const words = titleColumns(columns).map(({ value, spoken = value }) => String(spoken?.(row) ?? ""));
  return words.filter((word) => word !== "").join(", ") || "row";
}
