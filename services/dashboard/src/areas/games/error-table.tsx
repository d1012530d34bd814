import { Text } from "@mantine/core";
import { TableSection } from "../../kit/data-table.tsx";
import { errorAdvice } from "./error-advice.ts";

interface CallError {
  operation: string;
  status: number;
  count: number;
  /** Left out: not known. */
  last_at?: string | null;
}

interface ErrorTableProps {
  title: string;
  about: string;
  errors: readonly CallError[];
}

/** Calls that were refused or failed, by type, with what helps. */
export function ErrorTable({ title, about, errors }: ErrorTableProps) {
  return (
    <TableSection
      title={title}
      about={about}
      label="Errors by type"
      name="errors"
      rows={errors}
      rowKey={({ operation, status }) => `${operation} ${status}`}
      empty={null}
      columns={(make) => [
        make.text("call", "Call", ({ operation, status }) => `POST /${operation} ${status}`, {
          phone: "title",
          cell: ({ operation, status }) => (
            <Text ff="monospace" fz="xs" style={{ whiteSpace: "nowrap" }}>
              POST /{operation} {status}
            </Text>
          ),
        }),
        make.number("count", "Count", ({ count }) => count, { phone: "fact" }),
        ...(errors.some(({ last_at: at }) => at !== undefined)
          ? [make.moment("last", "Last", ({ last_at: at = null }) => at, { phone: "fact" })]
          : []),
        make.text("helps", "What helps", ({ status }) => errorAdvice(status)),
      ]}
    />
  );
}
