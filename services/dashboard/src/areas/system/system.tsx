import { Alert, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { hasStatus } from "../../api/api-error.ts";
import { useRead } from "../../api/queries.ts";
import {
  centsOfMillicents,
  formatCount,
  formatDecimal,
  formatMoment,
  formatNoun,
  formatTerm,
} from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { NO_FIGURE } from "../../kit/columns.tsx";
import { TableSection } from "../../kit/data-table.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Money } from "../../kit/money.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { AccountList } from "./account-list.tsx";
import { DividedWallets } from "./divided-wallets.tsx";
import { findingsOf, formatWait, limitOf } from "./findings.ts";
import { Quarantine } from "./quarantine.tsx";
import { REFETCH_MS, type System } from "./read.ts";
import { Reconciliation } from "./reconciliation.tsx";

const RECENT_MINUTES = 5;

function perMinute(inRecentMinutes: number | null | undefined): string {
  return inRecentMinutes === null ? NO_FIGURE : formatDecimal((inRecentMinutes ?? 0) / RECENT_MINUTES);
}

/** The state of the installation, for the user who runs it. */
export function Component() {
  const system = useRead("GET /system", {}, { refetchEveryMs: REFETCH_MS });
  const { data, error, failureCount, dataUpdatedAt } = system;
  const isUnknown = error !== null || failureCount > 0;
  if (hasStatus(error, 403)) {
    return (
      <Page title="System">
        <Empty
          isCard
          line="This door is for the keeper of the house."
          action={<ButtonLink to="/">Show the overview</ButtonLink>}
        >
          Only the operator of the installation, the first who signed up, sees its state.
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title="System"
      about="Whether the installation is well, what waits, and who uses it. Everything but the accounts is read again every ten seconds."
      state={
        data &&
        (isUnknown ? <Status tone="warning">Not known at the moment</Status> : <Health system={data} />)
      }
    >
      {data === undefined && error ? (
        <Failed isCard what="The state could not be loaded." read={system} />
      ) : (
        <>
          {data && error && (
            <Alert color="warning" title="The state cannot be read">
              Management does not answer, or cannot read Postgres. Its log names the reason. The figures below
              are from {formatMoment(new Date(dataUpdatedAt).toISOString())}.
            </Alert>
          )}
          <Overview read={system} />
        </>
      )}
      {(data || !error) && <Reconciliation system={data} />}
      <Quarantine />
      {data && <DividedWallets wallets={data.divided_wallets} />}
      <AccountList />
    </Page>
  );
}

function Health({ system }: { system: System }) {
  const findings = findingsOf(system);
  return findings.length === 0 ? (
    <Status tone="positive">All well</Status>
  ) : (
    <Status tone="warning">{formatNoun(findings.length, "finding")}</Status>
  );
}

function Overview({ read }: { read: ReturnType<typeof useRead<"GET /system">> }) {
  const { data: system } = read;
  const oldest = system?.oldest_waiting_seconds;
  return (
    <>
      {system &&
        findingsOf(system).map(({ title, advice }) => (
          <Alert key={title} color="warning" title={title}>
            {advice}
          </Alert>
        ))}
      <Figures
        read={read}
        figures={[
          {
            label: "Matches a minute",
            value: perMinute(system?.matches_last_5_minutes),
            note: `${perMinute(system?.impressions_last_5_minutes)} impressions a minute; the last 5 minutes`,
          },
          {
            label: "Impressions today",
            value: formatCount(system?.impressions_today ?? 0),
            note: `${formatCount(system?.impressions_yesterday ?? 0)} yesterday, UTC`,
          },
          {
            label: "Charged today",
            value: <Money cents={centsOfMillicents(system?.spent_today_millicents ?? 0)} />,
            note: "UTC, so far",
          },
          {
            label: "Held",
            value:
              system?.held_millicents === null ? (
                NO_FIGURE
              ) : (
                <Money cents={centsOfMillicents(system?.held_millicents ?? 0)} exact />
              ),
            note: `by open matches${system ? limitOf(system) : ""}`,
          },
          {
            label: "Waiting to be written",
            value:
              system?.impressions_waiting === null
                ? NO_FIGURE
                : formatCount(system?.impressions_waiting ?? 0),
            note: `${
              system?.impressions_waiting === null
                ? "not known without Redis"
                : oldest === null || oldest === undefined
                  ? "nothing waits"
                  : `the oldest for ${formatWait(oldest)} or longer`
            }${system ? limitOf(system) : ""}`,
          },
        ]}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <TableSection
          title="What runs"
          name="parts"
          isPlain
          rows={system && partsOf(system)}
          rowKey={({ key }) => key}
          empty={null}
          skeletonRows={6}
          columns={(make) => [
            make.text("name", "Part", ({ name }) => name, {
              phone: "title",
              cell: ({ key, name }) => <Named name={name} help={PART_HELP[key]} />,
            }),
            make.status(
              "state",
              "State",
              ({ isReady, cause }) =>
                isReady
                  ? { tone: "positive", word: "Ready" }
                  : { tone: "negative", word: "Not ready", cause },
              { phone: "fact" },
            ),
            make.moment("heard", "Last answer", ({ heardAt }) => heardAt, { phone: "fact" }),
          ]}
        />
        <TableSection
          title="Contents"
          name="contents"
          isPlain
          rows={
            system && [
              { what: "Accounts", count: system.accounts },
              { what: "Users", count: system.users },
              { what: "Advertisers", count: system.advertisers },
              { what: "Active campaigns", count: system.active_campaigns },
              {
                what: "Changes not yet in force",
                help: "Stored, but not yet known to every match process.",
                count: system.unpublished_changes,
              },
              {
                what: "Quarantined records",
                help: "Impressions that could not be written.",
                count: system.quarantined_records,
              },
              {
                what: "Divided wallets",
                help: "Balances that are spread over several Redis masters.",
                count: system.divided_wallets.count,
              },
            ]
          }
          rowKey={({ what }) => what}
          empty={null}
          skeletonRows={7}
          columns={(make) => [
            make.text("what", "What", ({ what }) => what, {
              phone: "title",
              cell: ({ what, help }) => <Named name={what} help={help} />,
            }),
            make.number("count", "Count", ({ count }) => count, { phone: "fact" }),
          ]}
        />
      </SimpleGrid>
    </>
  );
}

/** What a row is about, and what that means. */
function Named({ name, help }: { name: string; help: string | undefined }) {
  return (
    <div>
      {name}
      {help !== undefined && (
        <Text c="dimmed" fz="xs">
          {help}
        </Text>
      )}
    </div>
  );
}

/** Of what is neither a store nor a process. */
const PART_HELP: Readonly<Record<string, string>> = {
  installation: "Redis belongs to this database.",
  snapshot: "Campaigns and games as match processes know them.",
};

interface Part {
  key: string;
  name: string;
  isReady: boolean;
  cause: ReactNode;
  /** Null: not at this moment. */
  heardAt: string | null;
}

/** Stores as management sees them, and the processes that reported. */
function partsOf({ stores, processes, read_at: readAt }: System): Part[] {
  return [
    ...stores.map(({ name, ready }) => ({
      key: name,
      name: formatTerm(name),
      isReady: ready,
      cause: undefined,
      heardAt: ready ? readAt : null,
    })),
    ...processes.map(({ service, instance, ready, failing, reported_at: at }, index) => ({
      key: `${service} ${instance} ${index}`,
      name: instance === service ? formatTerm(service) : `${formatTerm(service)} (${instance})`,
      isReady: ready,
      cause: ready
        ? undefined
        : failing.length > 0
          ? `${failing.map(formatTerm).join(", ")}: the check fails`
          : "no report since then",
      heardAt: at,
    })),
  ];
}
