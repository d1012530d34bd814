import { Checkbox, Skeleton, Table, Tooltip, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { Link } from "react-router";
import { type Column, headerOf, type RowsProps } from "./columns.tsx";
import { type Sort, titleOf } from "./table-rows.ts";
import classes from "./wide-rows.module.css";

interface WideRowsProps<Row> extends RowsProps<Row> {
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
  /** Lines that keep the place while the rows are read. */
  skeletonRows: number;
}

/** The rows of a table, under headers that sort them. */
export function WideRows<Row>(props: WideRowsProps<Row>) {
  const { label, columns, shown, rowKey, rowTo, isChoosable, chosen, onToggle, sort, onSort, skeletonRows } =
    props;
  const keys = (shown ?? []).map(rowKey);
  const chosenCount = keys.filter((key) => chosen.has(key)).length;
  return (
    <div className={classes.scroll}>
      <Table highlightOnHover={rowTo !== undefined} className={classes.table ?? ""}>
        <caption className="sr-only">{label}</caption>
        <Table.Thead>
          <Table.Tr>
            {isChoosable && (
              <Table.Th w={44}>
                <Checkbox
                  aria-label="Choose every row of this page"
                  disabled={keys.length === 0}
                  checked={keys.length > 0 && chosenCount === keys.length}
                  indeterminate={chosenCount > 0 && chosenCount < keys.length}
                  onChange={({ currentTarget }) => onToggle(keys, currentTarget.checked)}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <HeaderCell
                key={column.key}
                column={column}
                direction={
                  sort?.key === column.key ? (sort.isDescending ? "descending" : "ascending") : undefined
                }
                onSort={() => onSort(nextSort(column, sort))}
              />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown === undefined
            ? Array.from({ length: skeletonRows }, (_, index) => (
                <Table.Tr key={index}>
                  {isChoosable && <Table.Td />}
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
                <Table.Tr key={rowKey(row)} className={rowTo ? (classes.linked ?? "") : ""}>
                  {isChoosable && (
                    <Table.Td className={classes.above ?? ""}>
                      <Checkbox
                        aria-label={`Choose ${titleOf(columns, row)}`}
                        checked={chosen.has(rowKey(row))}
                        onChange={({ currentTarget }) => onToggle([rowKey(row)], currentTarget.checked)}
                      />
                    </Table.Td>
                  )}
                  {columns.map((column, index) => (
                    <Table.Td key={column.key} ta={column.align ?? "left"} data-align={column.align}>
                      {index === 0 && rowTo ? (
                        <Link to={rowTo(row)} className={classes.link ?? ""}>
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
  );
}

/** Numbers largest first; the column in force the other way round. */
function nextSort<Row>({ key, align }: Column<Row>, sort: Sort | undefined): Sort {
  return { key, isDescending: sort?.key === key ? !sort.isDescending : align === "right" };
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
      {direction && <Arrow size={14} aria-hidden="true" />}
    </UnstyledButton>
  ) : (
    headerOf(column)
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
