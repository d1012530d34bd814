import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { CellValue } from "../format/csv.ts";
import {
  centsOfMillicents,
  dollarsOfCents,
  dollarsOfMillicents,
  exactColumn,
  formatCount,
  formatDayWithYear,
  formatShare,
  percentOfShare,
} from "../format/format.ts";
import { Id } from "./id.tsx";
import { LongName } from "./long-name.tsx";
import { Moment } from "./moment.tsx";
import { Money } from "./money.tsx";
import { Status, type Tone } from "./status.tsx";

export interface Column<Row> {
  key: string;
  header: string;
  /** What the column means: on hover or focus of its header, below it on a phone. */
  help?: string;
  cell: (row: Row) => ReactNode;
  /** What the column sorts by, and what stands in the CSV. Left out: neither. */
  value?: (row: Row) => CellValue;
  /** What names the row in words, where it is not the value. */
  spoken?: (row: Row) => string;
  /** What stands in the CSV, where it is not the value. */
  csv?: (row: Row) => CellValue;
  /** Named in the header of the CSV, whose numbers have no sign of a currency or a share. */
  csvUnit?: "USD" | "%";
  align?: "right";
  /** On a phone: in the title of the row, or one of its two facts. Left out: opening the row shows it. */
  phone?: "title" | "fact";
}

type Details<Row> = Partial<Omit<Column<Row>, "key" | "header" | "value">>;

/** Not loaded, none, or nothing to divide. */
export const NO_FIGURE = "–";

/** A text; as the first column, the title of its row. */
function textColumn<Row>(
  key: string,
  header: string,
  textOf: (row: Row) => string | null | undefined,
  details: Details<Row> = {},
): Column<Row> {
  return { key, header, value: textOf, cell: textOf, ...details };
}

interface NameDetails<Row> extends Details<Row> {
  /** Of something else than the row. */
  isAside?: boolean;
  /** Stands below the name. */
  below?: (row: Row) => ReactNode;
}

/** A name that may be long; that of the row itself is its title. */
function nameColumn<Row>(
  key: string,
  header: string,
  nameOf: (row: Row) => string,
  { isAside = false, below, ...details }: NameDetails<Row> = {},
): Column<Row> {
  const cell = (row: Row) => {
    const name = <LongName isAside={isAside}>{nameOf(row)}</LongName>;
    return below === undefined ? (
      name
    ) : (
      <div>
        <Text fw={600} component="div">
          {name}
        </Text>
        {below(row)}
      </div>
    );
  };
  return textColumn(key, header, nameOf, { cell, ...(!isAside && { phone: "title" as const }), ...details });
}

/** A number, by default a count. */
function numberColumn<Row>(
  key: string,
  header: string,
  numberOf: (row: Row) => number | null | undefined,
  { format = formatCount, ...details }: Details<Row> & { format?: (value: number) => ReactNode } = {},
): Column<Row> {
  const cell = (row: Row) => {
    const number = numberOf(row);
    return typeof number === "number" ? format(number) : NO_FIGURE;
  };
  return { key, header, align: "right", value: numberOf, cell, ...details };
}

/** A share of one, shown and downloaded in percent with one decimal. */
function shareColumn<Row>(
  key: string,
  header: string,
  shareOf: (row: Row) => number | undefined,
  details: Details<Row> = {},
): Column<Row> {
  return numberColumn(key, header, shareOf, {
    format: formatShare,
    csv: (row) => {
      const share = shareOf(row);
      return share === undefined ? undefined : percentOfShare(share);
    },
    csvUnit: "%",
    ...details,
  });
}

/** An amount in cents; in dollars in the CSV. */
function moneyColumn<Row>(
  key: string,
  header: string,
  centsOf: (row: Row) => number | null | undefined,
  details: Details<Row> = {},
): Column<Row> {
  return numberColumn(key, header, centsOf, {
    format: (cents) => <Money cents={cents} />,
    csv: (row) => {
      const cents = centsOf(row);
      return typeof cents === "number" ? dollarsOfCents(cents) : undefined;
    },
    csvUnit: "USD",
    ...details,
  });
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

/** A state, downloaded as its word. */
function statusColumn<Row>(
  key: string,
  header: string,
  statusOf: (row: Row) => { word: string; tone: Tone; cause?: ReactNode },
  details: Details<Row> = {},
): Column<Row> {
  const cell = (row: Row) => {
    const { word, tone, cause } = statusOf(row);
    return (
      <Status tone={tone} cause={cause}>
        {word}
      </Status>
    );
  };
  return textColumn(key, header, (row) => statusOf(row).word, { cell, ...details });
}

/** A UTC day, `YYYY-MM-DD`. */
function dayColumn<Row>(
  key: string,
  header: string,
  dateOf: (row: Row) => string | undefined,
  details: Details<Row> = {},
): Column<Row> {
  const words = (row: Row) => {
    const date = dateOf(row);
    return date === undefined ? "" : formatDayWithYear(date);
  };
  return textColumn(key, header, dateOf, { cell: words, spoken: words, ...details });
}

/** A point in time, to be read as how long ago it was. */
function momentColumn<Row>(
  key: string,
  header: string,
  isoOf: (row: Row) => string | null,
  details: Details<Row> = {},
): Column<Row> {
  const cell = (row: Row) => {
    const iso = isoOf(row);
    return iso === null ? NO_FIGURE : <Moment iso={iso} />;
  };
  return { key, header, value: isoOf, cell, ...details };
}

/**
 * An identifier that can be copied.
 * @param label what its button copies: "campaign id"
 */
function idColumn<Row>(
  key: string,
  header: string,
  idOf: (row: Row) => string,
  label: string,
  details: Details<Row> = {},
): Column<Row> {
  return { key, header, value: idOf, cell: (row) => <Id value={idOf(row)} label={label} />, ...details };
}

/** What can be done with a row, at its end. */
function actionsColumn<Row>(cell: (row: Row) => ReactNode, details: Details<Row> = {}): Column<Row> {
  return { key: "actions", header: "", align: "right", cell, ...details };
}

/** Makers of columns for the rows of one table. */
function makersFor<Row>() {
  return {
    text: textColumn<Row>,
    name: nameColumn<Row>,
    number: numberColumn<Row>,
    share: shareColumn<Row>,
    money: moneyColumn<Row>,
    exactMoney: exactMoneyColumn<Row>,
    status: statusColumn<Row>,
    day: dayColumn<Row>,
    moment: momentColumn<Row>,
    id: idColumn<Row>,
    actions: actionsColumn<Row>,
  };
}

export type ColumnMakers<Row> = ReturnType<typeof makersFor<Row>>;

/** The columns of a table, by the makers for its rows. */
export type Columns<Row> = (make: ColumnMakers<Row>) => readonly Column<Row>[];

export function columnsOf<Row>(columns: Columns<Row>): readonly Column<Row>[] {
  return columns(makersFor());
}

/** Of a column of buttons or links, which sorts nothing: a header for those who hear the table. */
export function headerOf<Row>({ header }: Column<Row>): ReactNode {
  return header || <span className="sr-only">Actions</span>;
}

/** What draws the rows of a table, on a wide window or a phone. */
export interface RowsProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** The rows of the page in view; undefined: not loaded yet. */
  shown: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  rowTo?: ((row: Row) => string) | undefined;
  /** Whether rows can be chosen for something that is done with several. */
  isChoosable: boolean;
  /** Keys of the rows that were chosen. */
  chosen: ReadonlySet<string>;
  onToggle: (keys: string[], isOn: boolean) => void;
}
