import { joinLists, useReadAll } from "../../api/use-read-all.ts";
import { TableSection } from "../../kit/data-table.tsx";
import { Id } from "../../kit/id.tsx";
import { LongName } from "../../kit/long-name.tsx";
import { Empty } from "../../kit/states.tsx";

/** The accounts of the installation. */
export function AccountList() {
  const accounts = useReadAll("GET /system/accounts", {}, joinLists);
  return (
    <TableSection
      title="Accounts"
      name="accounts"
      rows={accounts.data}
      rowKey={({ id }) => id}
      read={accounts}
      searchIn={({ label, advertiser }) => [label, advertiser]}
      pageSize={50}
      empty={
        <Empty line="The house is empty.">Accounts appear when somebody signs up or a key is made.</Empty>
      }
      columns={(make) => [
        make.name("label", "Account", ({ label }) => label, {
          below: ({ label, id }) => <Id value={id} label={`id of ${label}`} />,
        }),
        make.money("balance", "Balance", ({ balance_cents: balance }) => balance, { phone: "fact" }),
        make.text("advertiser", "Advertiser", ({ advertiser }) => advertiser, {
          cell: ({ advertiser }) =>
            advertiser === null ? "None" : <LongName isAside>{advertiser}</LongName>,
        }),
        make.number("games", "Games", ({ games }) => games, { phone: "fact" }),
        make.number("members", "Members", ({ members }) => members),
        make.moment("created", "Created", ({ created_at: at }) => at),
      ]}
    />
  );
}
