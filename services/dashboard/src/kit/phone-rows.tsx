import { Checkbox, Skeleton } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { Link } from "react-router";
import { type Column, headerOf, type RowsProps } from "./columns.tsx";
import classes from "./phone-rows.module.css";
import { titleColumns, titleOf } from "./table-rows.ts";

function titleCells<Row>(titles: readonly Column<Row>[], row: Row): ReactNode {
  return titles.map((column, index) => (
    <Fragment key={column.key}>
      {index > 0 && " · "}
      {column.cell(row)}
    </Fragment>
  ));
}

interface PhoneRowsProps<Row> extends RowsProps<Row> {
  /** A short list, whose heading says what it is. */
  isPlain: boolean;
}

/** The rows of a table on a phone: three facts each, and the others behind a button. */
export function PhoneRows<Row>(props: PhoneRowsProps<Row>) {
  const { columns, shown, rowKey, rowTo, label, isChoosable, chosen, onToggle, isPlain } = props;
  if (shown === undefined) {
    return (
      <div className={classes.phoneSkeleton}>
        {[1, 2, 3, 4].map((row) => (
          <Skeleton key={row} height={44} my={12} />
        ))}
      </div>
    );
  }
  const titles = titleColumns(columns);
  const facts = columns.filter(({ phone }) => phone === "fact").slice(0, 2);
  const more = columns.filter((column) => !titles.includes(column) && !facts.includes(column));
  return (
    <ul className={classes.phoneRows} aria-label={label}>
      {shown.map((row) => (
        <li key={rowKey(row)}>
          <div className={classes.phoneTitle}>
            {isChoosable && (
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
                <dt className={isPlain && facts.length === 1 ? "sr-only" : undefined}>{headerOf(column)}</dt>
                <dd>{column.cell(row)}</dd>
              </div>
            ))}
          </dl>
          {more.length > 0 && (
            <details>
              <summary>
                More
                <span className="sr-only">
                  {" "}
                  about {titleOf(columns, row)} in {label}
                </span>
              </summary>
              <dl className={classes.phoneMore}>
                {more.map((column) => (
                  <div key={column.key}>
                    <dt>
                      {headerOf(column)}
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
