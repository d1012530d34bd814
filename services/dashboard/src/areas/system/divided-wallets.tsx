import { Text } from "@mantine/core";
import { formatCount } from "../../format/format.ts";
import { TableSection } from "../../kit/data-table.tsx";
import { Id } from "../../kit/id.tsx";
import { Status } from "../../kit/status.tsx";
import type { System } from "./read.ts";

/** Advertisers whose wallet is divided into slices; nothing where none is. */
export function DividedWallets({ wallets: { count, listed } }: { wallets: System["divided_wallets"] }) {
  if (count === 0) return null;
  return (
    <TableSection
      title="Divided wallets"
      about={`Slices spread the matches of one advertiser over the masters of a Redis Cluster. The command npm run slices adds them.${
        count > listed.length
          ? ` The first ${formatCount(listed.length)} of ${formatCount(count)} are shown.`
          : ""
      }`}
      name="wallets"
      rows={listed}
      rowKey={({ advertiser_id: id }) => id}
      empty={null}
      columns={(make) => [
        {
          key: "advertiser",
          header: "Advertiser",
          phone: "title",
          value: ({ company_name: company }) => company,
          cell: ({ company_name: company, advertiser_id: id }) => (
            <div>
              <Text fw={600}>{company}</Text>
              <Id value={id} label={`id of ${company}`} />
            </div>
          ),
        },
        make.number("slices", "Slices", ({ slices }) => slices, { phone: "fact" }),
        {
          key: "state",
          header: "State",
          phone: "fact",
          value: ({ in_force: isInForce }) => (isInForce ? "in force" : "being published"),
          cell: ({ in_force: isInForce }) =>
            isInForce ? (
              <Status tone="positive">In force</Status>
            ) : (
              <Status tone="warning" cause="not yet on every match instance">
                Being published
              </Status>
            ),
        },
      ]}
    />
  );
}
