import type { ReactNode } from "react";
import type { CsvValue } from "../format/csv.ts";
import {
  centsOfMillicents,
  dollarsOfCents,
  dollarsOfMillicents,
  exactColumn,
  formatCount,
} from "../format/format.ts";
import { Money } from "./money.tsx";
import type { SortValue } from "./table-rows.ts";

export interface Column<Row> {
  key: string;
  header: string;
  /** What the column means: on hover or focus of its header, below it on a phone. */
  help?: string;
  cell: (row: Row) => ReactNode;
  /** What the column sorts by, and what stands in the CSV. Left out: neither. */
  value?: (row: Row) => SortValue;
  /** What stands in the CSV, where it is not the value. */
  csv?: (row: Row) => CsvValue;
  /** Named in the header of the CSV, whose amounts have no sign of a currency. */
  csvUnit?: "USD";
  align?: "right";
  /** On a phone: in the title of the row, one of its two facts, or a fact that opening the row shows. */
  phone?: "title" | "fact" | "more" | "none";
}

type Details<Row> = Partial<Omit<Column<Row>, "key" | "header" | "value">>;

/** A text; as the first column, the title of its row. */
function textColumn<Row>(
  key: string,
  header: string,
  textOf: (row: Row) => string | null,
  details: Details<Row> = {},
): Column<Row> {
  return { key, header, value: textOf, cell: textOf, ...details };
}

/** A number, by default a count. */
function numberColumn<Row>(
  key: string,
  header: string,
  numberOf: (row: Row) => number,
  { format = formatCount, ...details }: Details<Row> & { format?: (value: number) => string } = {},
): Column<Row> {
  return { key, header, align: "right", value: numberOf, cell: (row) => format(numberOf(row)), ...details };
}

/** Not loaded, none, or nothing to divide. */
export const NO_FIGURE = "–";

/** An amount in cents; in dollars in the CSV. */
function moneyColumn<Row>(
  key: string,
  header: string,
  centsOf: (row: Row) => number | null | undefined,
  details: Details<Row> = {},
): Column<Row> {
  return {
    key,
    header,
    align: "right",
    value: centsOf,
    csv: (row) => {
      const cents = centsOf(row);
      return typeof cents === "number" ? dollarsOfCents(cents) : undefined;
    },
    csvUnit: "USD",
    cell: (row) => {
      const cents = centsOf(row);
      return typeof cents === "number" ? <Money cents={cents} /> : NO_FIGURE;
    },
    ...details,
  };
}

/** An exact amount, with as many digits as the longest of the rows needs: what is shown adds up. */
function exactMoneyColumn<Row>(
  key: string,
  header: string,
  millicentsOf: (row: Row) => number,
  rows: readonly Row[] | undefined,
  details: Details<Row> = {},
): Column<Row> {
  const centsOf = (row: Row) => centsOfMillicents(millicentsOf(row));
  const format = exactColumn((rows ?? []).map(centsOf));
  return moneyColumn(key, header, centsOf, {
    cell: (row) => format(centsOf(row)),
    csv: (row) => dollarsOfMillicents(millicentsOf(row)),
    ...details,
  });
}

const makers = {
  text: textColumn,
  number: numberColumn,
  money: moneyColumn,
  exactMoney: exactMoneyColumn,
};

/** Makers of columns for the rows of one table. */
export interface ColumnMakers<Row> {
  text: typeof textColumn<Row>;
  number: typeof numberColumn<Row>;
  money: typeof moneyColumn<Row>;
  exactMoney: typeof exactMoneyColumn<Row>;
}

export function columnMakers<Row>(): ColumnMakers<Row> {
  return makers;
}
