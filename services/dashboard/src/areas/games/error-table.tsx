import { Text } from "@mantine/core";
import { formatCount } from "../../format/format.ts";
import { DataTable } from "../../kit/data-table.tsx";
import { errorAdvice } from "./advice.ts";

interface CallError {
  operation: string;
  status: number;
  count: number;
}

/** Calls that were refused or failed, by type, with what helps. */
export function ErrorTable({ errors }: { errors: readonly CallError[] }) {
  return (
    <DataTable
      label="Errors by type"
      name="errors"
      rows={errors}
      rowKey={({ operation, status }) => `${operation} ${status}`}
      empty={null}
      columns={[
        {
          key: "call",
          header: "Call",
          phone: "title",
          value: ({ operation, status }) => `POST /${operation} ${status}`,
          cell: ({ operation, status }) => (
            <Text ff="monospace" fz="xs" style={{ whiteSpace: "nowrap" }}>
              POST /{operation} {status}
            </Text>
          ),
        },
        {
          key: "count",
          header: "Count",
          align: "right",
          phone: "fact",
          value: ({ count }) => count,
          cell: ({ count }) => formatCount(count),
        },
        {
          key: "helps",
          header: "What helps",
          value: ({ status }) => errorAdvice(status),
          cell: ({ status }) => errorAdvice(status),
        },
      ]}
    />
  );
}
