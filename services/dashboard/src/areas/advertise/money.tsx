import { Button, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRead } from "../../api/queries.ts";
import { FIGURES_REFETCH_MS, listRefetchMs, PAGE_ROWS } from "../../api/refetch-times.ts";
import { useAbility } from "../../api/session.ts";
import { useAnswered } from "../../api/use-answered.ts";
import { joinLists, useReadAll } from "../../api/use-read-all.ts";
import { exactColumn, formatCents, formatDayWithYear, formatNoun } from "../../format/format.ts";
import { TableSection } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Moment } from "../../kit/moment.tsx";
import { Money } from "../../kit/money.tsx";
import { valuesOf } from "../../kit/options.ts";
import { Page } from "../../kit/page.tsx";
import { Empty, NotLoaded } from "../../kit/states.tsx";
import { useUrlChoice } from "../../kit/use-url-state.ts";
import { DepositForm } from "./deposit-form.tsx";
import { ledgerPeriod, ledgerPeriods } from "./ledger-period.ts";
import { NotRegistered } from "./not-registered.tsx";
import { useAdvertiser } from "./use-advertiser.ts";

const DEFAULT_PERIOD = "90";
const DEPOSITS_PAGE = { query: { limit: PAGE_ROWS } };

export function Component() {
  const { canChange } = useAbility();
  const [isOpen, { open, close }] = useDisclosure();
  const { profile, isUnregistered, canRead } = useAdvertiser();
  const now = new Date();
  const periods = ledgerPeriods(profile.data?.created_at, now);
  const [period, setPeriod] = useUrlChoice("period", profile.data && valuesOf(periods), DEFAULT_PERIOD);
  const asked = ledgerPeriod(period, now);
  const ledger = useRead(
    "GET /ledger",
    { query: asked },
    { enabled: canRead, keepPrevious: true, refetchEveryMs: FIGURES_REFETCH_MS },
  );
  const shown = ledgerPeriod(useAnswered(period, ledger), now);
  const deposits = useReadAll("GET /deposits", DEPOSITS_PAGE, joinLists, {
    enabled: canRead,
    refetchEveryMs: ({ length }) => listRefetchMs(length),
  });
  if (isUnregistered) return <NotRegistered title="Money" />;
  const totals = ledger.data?.totals;
  // Newest first, as on a statement; days on which nothing moved are left out.
  const days = ledger.data?.days
    .filter(({ deposits_cents: deposited, charges_cents: charged }) => deposited > 0 || charged > 0)
    .reverse();
  const format = exactColumn(
    (days ?? []).flatMap(({ closing_balance_cents: closing, charges_cents: charged }) => [closing, charged]),
  );
  return (
    <Page title="Money" actions={canChange && <Button onClick={open}>Deposit</Button>}>
      <Figures
        read={ledger}
        figures={[
          {
            label: "Free balance",
            value: <Money cents={totals?.balance_cents ?? 0} exact />,
            note: "for new matches",
          },
          {
            label: "Held",
            value: <Money cents={totals?.held_cents ?? 0} exact />,
            note: "for ads that nobody has seen yet",
          },
          {
            label: "Spent",
            value: <Money cents={totals?.spent_cents ?? 0} exact />,
            note: totals && formatNoun(totals.impressions, "impression"),
          },
          {
            label: "Deposited",
            value: <Money cents={totals?.deposits_cents ?? 0} exact />,
            note: "free balance + held + spent",
          },
        ]}
      />
      <TableSection
        title="Statement"
        about={`Every UTC day from ${formatDayWithYear(shown.from)} to ${formatDayWithYear(shown.to)} on which money moved, exact to a thousandth of a cent.`}
        actions={
          <Select
            aria-label="Period of the statement"
            error={
              profile.data === undefined &&
              profile.isError && <NotLoaded label="Earlier years" isNamed read={profile} />
            }
            data={periods}
            value={period}
            allowDeselect={false}
            onChange={(value) => setPeriod(value ?? DEFAULT_PERIOD)}
            w={180}
          />
        }
        rows={days}
        rowKey={({ date }) => date}
        read={ledger}
        empty={
          <Empty line="Not a coin has moved.">
            {totals?.deposits_cents === 0
              ? "Deposits and charges appear here, day by day, with the running balance."
              : "Nothing was deposited or charged in this period. Choose another one above."}
          </Empty>
        }
        columns={(make) => [
          make.day("date", "Day (UTC)", ({ date }) => date, { phone: "title" }),
          make.money("closing", "Balance", ({ closing_balance_cents: cents }) => cents, {
            phone: "fact",
            help: "What was left at the end of the day, held money included.",
            cell: ({ closing_balance_cents: cents }) => format(cents),
          }),
          make.money("deposits", "Deposits", ({ deposits_cents: cents }) => cents, {
            cell: ({ deposits_cents: cents }) => (cents === 0 ? "" : `+${formatCents(cents)}`),
          }),
          make.money("charges", "Charges", ({ charges_cents: cents }) => cents, {
            phone: "fact",
            cell: ({ charges_cents: cents }) => (cents === 0 ? "" : format(-cents)),
          }),
          make.number("impressions", "Impressions", ({ impressions }) => impressions),
        ]}
      />
      {(deposits.data === undefined ? deposits.isError : deposits.data.length > 0) && (
        <TableSection
          title="Deposits"
          name="deposits"
          rows={deposits.data}
          rowKey={({ id }) => id}
          read={deposits}
          empty={null}
          columns={(make) => [
            make.moment("at", "Day (UTC)", ({ created_at: at }) => at, {
              phone: "title",
              cell: ({ created_at: at }) => <Moment iso={at} isDay />,
            }),
            make.money("amount", "Amount", ({ amount_cents: cents }) => cents, { phone: "fact" }),
          ]}
        />
      )}
      <Dialog opened={isOpen} onClose={close} title="Deposit">
        <DepositForm onDone={close} />
      </Dialog>
    </Page>
  );
}
