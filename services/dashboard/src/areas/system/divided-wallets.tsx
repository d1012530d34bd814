import { formatCount } from "../../format/format.ts";
import { TableSection } from "../../kit/data-table.tsx";
import { Id } from "../../kit/id.tsx";
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
        make.name("advertiser", "Advertiser", ({ company_name: company }) => company, {
          below: ({ company_name: company, advertiser_id: id }) => (
            <Id value={id} label={`id of ${company}`} />
          ),
        }),
        make.number("slices", "Slices", ({ slices }) => slices, { phone: "fact" }),
        make.status(
          "state",
          "State",
          ({ in_force: isInForce }) =>
            isInForce
              ? { tone: "positive", word: "In force" }
              : { tone: "warning", word: "Being published", cause: "not yet on every match instance" },
          { phone: "fact" },
        ),
      ]}
    />
  );
}
