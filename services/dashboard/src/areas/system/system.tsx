import { Alert, Button, Card, Group, SimpleGrid, Text, Textarea } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "react-router";
import type { AnswerOf } from "../../api/operations.ts";
import { hasStatus, useRead } from "../../api/queries.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { useReadAll, useReadPages } from "../../api/use-read-all.ts";
import {
  centsOfMillicents,
  formatCount,
  formatDecimal,
  formatNoun,
  formatTerm,
} from "../../format/format.ts";
import { columnMakers } from "../../kit/columns.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Id } from "../../kit/id.tsx";
import { Moment } from "../../kit/moment.tsx";
import { Money } from "../../kit/money.tsx";
import { notifyDone } from "../../kit/notify.ts";
import { Page, Section } from "../../kit/page.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { findingsOf, formatWait, limitOf } from "./findings.ts";

type System = AnswerOf<"GET /system">;
type QuarantinedRecord = AnswerOf<"GET /system/quarantine">[number];
type Accounts = AnswerOf<"GET /system/accounts">;

const REFETCH_MS = 10_000;
const RECENT_MINUTES = 5;

/** The state of the installation, for the user who runs it. */
export function Component() {
  const system = useRead("GET /system", {}, { refetchEveryMs: REFETCH_MS });
  const { data, error } = system;
  if (hasStatus(error, 403)) {
    return (
      <Page title="System">
        <Card>
          <Empty
            line="This door is for the keeper of the house."
            action={
              <Button component={Link} to="/">
                Show the overview
              </Button>
            }
          >
            Only the operator of the installation, the first who signed up, sees its state.
          </Empty>
        </Card>
      </Page>
    );
  }
  return (
    <Page
      title="System"
      about="Whether the installation is well, what waits, and who uses it. Read anew every ten seconds."
      state={data && <Health system={data} />}
    >
      {data === undefined && error ? (
        <Card>
          <Failed what="The state could not be loaded." error={error} onRetry={() => void system.refetch()} />
        </Card>
      ) : (
        <Overview system={data} />
      )}
      {(data || !error) && <Reconciliation system={data} />}
      <Quarantine />
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

function Overview({ system }: { system: System | undefined }) {
  const isLoading = system === undefined;
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
        isLoading={isLoading}
        figures={[
          {
            label: "Matches a minute",
            value: formatDecimal((system?.matches_last_5_minutes ?? 0) / RECENT_MINUTES),
            note: `${formatDecimal((system?.impressions_last_5_minutes ?? 0) / RECENT_MINUTES)} impressions a minute; the last 5 minutes`,
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
            value: <Money cents={centsOfMillicents(system?.held_millicents ?? 0)} exact />,
            note: `by open matches${system ? limitOf(system) : ""}`,
          },
          {
            label: "Waiting to be written",
            value: formatCount(system?.impressions_waiting ?? 0),
            note: `${
              oldest === null || oldest === undefined
                ? "nothing waits"
                : `the oldest for ${formatWait(oldest)} or longer`
            }${system ? limitOf(system) : ""}`,
          },
        ]}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Section title="What runs">
          <DataTable
            label="What runs"
            name="parts"
            isPlain
            rows={system && partsOf(system)}
            rowKey={({ key }) => key}
            empty={null}
            skeletonRows={6}
            columns={[
              {
                key: "name",
                header: "Part",
                phone: "title",
                value: ({ name }) => name,
                cell: ({ name }) => name,
              },
              {
                key: "state",
                header: "State",
                phone: "fact",
                value: ({ isReady }) => (isReady ? "ready" : "not ready"),
                cell: ({ isReady, cause }) => (
                  <Status tone={isReady ? "positive" : "negative"} cause={cause}>
                    {isReady ? "Ready" : "Not ready"}
                  </Status>
                ),
              },
              {
                key: "heard",
                header: "Last answer",
                phone: "fact",
                value: ({ heardAt }) => heardAt,
                cell: ({ heardAt }) => <Moment iso={heardAt} />,
              },
            ]}
          />
        </Section>
        <Section title="What is in it">
          <DataTable
            label="Contents"
            name="contents"
            isPlain
            rows={
              system && [
                { what: "Accounts", count: system.accounts },
                { what: "Users", count: system.users },
                { what: "Advertisers", count: system.advertisers },
                { what: "Active campaigns", count: system.active_campaigns },
                { what: "Changes not yet in force", count: system.unpublished_changes },
                { what: "Quarantined records", count: system.quarantined_records },
              ]
            }
            rowKey={({ what }) => what}
            empty={null}
            skeletonRows={6}
            columns={[
              {
                key: "what",
                header: "What",
                phone: "title",
                value: ({ what }) => what,
                cell: ({ what }) => what,
              },
              {
                key: "count",
                header: "Count",
                align: "right",
                phone: "fact",
                value: ({ count }) => count,
                cell: ({ count }) => formatCount(count),
              },
            ]}
          />
        </Section>
      </SimpleGrid>
    </>
  );
}

interface Part {
  key: string;
  name: string;
  isReady: boolean;
  cause: ReactNode;
  heardAt: string;
}

/** Stores as management sees them, and the processes that reported. */
function partsOf({ stores, processes, read_at: readAt }: System): Part[] {
  return [
    ...stores.map(({ name, ready }) => ({
      key: name,
      name: formatTerm(name),
      isReady: ready,
      cause: undefined,
      heardAt: readAt,
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

function Reconciliation({ system }: { system: System | undefined }) {
  const reconciliation = system?.reconciliation;
  const finishedAt = reconciliation?.finished_at;
  return (
    <Section
      title="Reconciliation"
      about={
        finishedAt ? (
          <>
            Billing compares every value of Redis and Postgres all the time. The last comparison of everything
            ended <Moment iso={finishedAt} />.
          </>
        ) : (
          `Billing compares every value of Redis and Postgres all the time.${system === undefined ? "" : " The first comparison is not finished."}`
        )
      }
    >
      <DataTable
        label="Differences"
        name="differences"
        rows={reconciliation?.listed}
        rowKey={({ check, subject }) => `${check} ${subject}`}
        skeletonRows={2}
        empty={
          finishedAt ? (
            <Empty line="Every ledger tells the same story.">No two values disagree.</Empty>
          ) : (
            <Empty line="The first reconciliation is still running.">
              No comparison of everything has ended yet. Nothing has been found so far.
            </Empty>
          )
        }
        columns={[
          {
            key: "what",
            header: "Compared",
            phone: "title",
            value: ({ what }) => what,
            cell: ({ what, check }) => (
              <div>
                {what}
                <Text c="dimmed" fz="xs" ff="monospace">
                  {check}
                </Text>
              </div>
            ),
          },
          {
            key: "kind",
            header: "Kind",
            phone: "fact",
            value: ({ kind }) => kind,
            cell: ({ kind }) =>
              kind === "money" ? (
                <Status tone="negative">Must never differ</Status>
              ) : (
                <Status tone="warning">Overdue</Status>
              ),
          },
          {
            key: "subject",
            header: "Whose",
            value: ({ subject }) => subject,
            cell: ({ subject }) => <Id value={subject} label="subject" />,
          },
          {
            key: "expected",
            header: "Expected",
            align: "right",
            value: ({ expected }) => expected,
            cell: ({ expected }) => expected,
          },
          {
            key: "found",
            header: "Found",
            align: "right",
            phone: "fact",
            value: ({ found }) => found,
            cell: ({ found }) => found,
          },
        ]}
      />
    </Section>
  );
}

function Quarantine() {
  const records = useReadPages("GET /system/quarantine", {}, { refetchEveryMs: REFETCH_MS });
  const rows = records.data?.flat();
  const { data: system } = useRead("GET /system");
  const [pagesText, setPages] = useUrlState("quarantine-pages", "1");
  const { hasNextPage, isFetching, isError, fetchNextPage } = records;
  const loaded = records.data?.length ?? 0;
  const isReadingOlder = loaded > 0 && hasNextPage && loaded < Number(pagesText);
  useEffect(() => {
    if (isReadingOlder && !isFetching && !isError) void fetchNextPage();
  }, [isReadingOlder, isFetching, isError, fetchNextPage]);
  const [chosen, setChosen] = useState<QuarantinedRecord>();
  return (
    <Section
      title="Quarantined records"
      about="Impressions that could not be written. Each counts as a difference until somebody decides about it."
    >
      <DataTable
        label="Quarantined records"
        name="quarantine"
        rows={rows}
        rowKey={({ impression_id: id }) => id}
        error={records.error}
        onRetry={() => void records.refetch()}
        skeletonRows={2}
        empty={<Empty line="Every page is in the book.">No record waits for a decision.</Empty>}
        columns={[
          {
            key: "impression",
            header: "Impression",
            phone: "title",
            value: ({ impression_id: id }) => id,
            cell: ({ impression_id: id }) => <Id value={id} label="impression id" />,
          },
          {
            key: "reason",
            header: "Reason",
            phone: "fact",
            value: ({ reason }) => reason,
            cell: ({ reason }) => reason,
          },
          {
            key: "advertiser",
            header: "Advertiser",
            value: ({ advertiser_id: id }) => id,
            cell: ({ advertiser_id: id }) => <Id value={id} label="advertiser id" />,
          },
          {
            key: "found",
            header: "Found",
            value: ({ quarantined_at: at }) => at,
            cell: ({ quarantined_at: at }) => <Moment iso={at} />,
          },
          {
            key: "resolve",
            header: "",
            align: "right",
            phone: "fact",
            cell: (record) => (
              <Button
                variant="subtle"
                size="compact-sm"
                aria-label={`Resolve ${record.impression_id}`}
                onClick={() => setChosen(record)}
              >
                Resolve
              </Button>
            ),
          },
        ]}
      />
      {hasNextPage && (
        <Group mt="sm">
          <Text c="dimmed" fz="sm">
            {system === undefined
              ? `The newest ${formatCount(rows?.length ?? 0)} are shown.`
              : `The newest ${formatCount(rows?.length ?? 0)} of ${formatCount(system.quarantined_records)} are shown.`}
          </Text>
          <Button
            variant="default"
            size="compact-sm"
            loading={isReadingOlder && !isError}
            onClick={() => {
              setPages(String(loaded + 1));
              // After a failure the address names the page already.
              if (isError) void fetchNextPage();
            }}
          >
            Show older records
          </Button>
        </Group>
      )}
      <Dialog
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title="Resolve a quarantined record"
        size="lg"
      >
        {chosen && <ResolveForm record={chosen} onClose={() => setChosen(undefined)} />}
      </Dialog>
    </Section>
  );
}

function ResolveForm({ record, onClose }: { record: QuarantinedRecord; onClose: () => void }) {
  const form = useApiForm("POST /system/quarantine/{impression_id}/resolve", { resolution: "" });
  const send = async () => {
    const resolved = await form.send({ path: { impression_id: record.impression_id } });
    if (resolved === undefined) return;
    notifyDone("The record is resolved.");
    onClose();
  };
  return (
    <DialogForm
      failure={form.failure}
      isSending={form.isSending}
      onSend={send}
      onClose={onClose}
      action="Resolve record"
    >
      <Text>{record.reason}</Text>
      <Text
        component="pre"
        ff="monospace"
        fz="xs"
        m={0}
        style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
      >
        {record.record}
      </Text>
      <Textarea
        label="What was decided"
        description="About the charge, and who was informed. It stays with the record."
        autosize
        minRows={2}
        value={form.values.resolution ?? ""}
        onChange={({ currentTarget }) => form.set("resolution", currentTarget.value)}
        error={form.problem("resolution")}
        data-autofocus
      />
      <Text c="dimmed" fz="xs">
        The record is never written: nobody is charged or paid by this. It cannot be undone.
      </Text>
    </DialogForm>
  );
}

const joinAccounts = (one: Accounts, next: Accounts) => [...one, ...next];

function AccountList() {
  const accounts = useReadAll("GET /system/accounts", {}, joinAccounts);
  return (
    <Section title="Accounts">
      <DataTable
        label="Accounts"
        name="accounts"
        rows={accounts.data}
        rowKey={({ id }) => id}
        error={accounts.error}
        onRetry={() => void accounts.refetch()}
        searchIn={({ id, label, advertiser }) => [id, label, advertiser]}
        pageSize={50}
        empty={
          <Empty line="The house is empty.">Accounts appear when somebody signs up or a key is made.</Empty>
        }
        columns={[
          {
            key: "label",
            header: "Account",
            phone: "title",
            value: ({ label }) => label,
            cell: ({ label, id }) => (
              <div>
                <Text fw={600}>{label}</Text>
                <Id value={id} label={`id of ${label}`} />
              </div>
            ),
          },
          columnMakers<Accounts[number]>().money(
            "balance",
            "Balance",
            ({ balance_cents: balance }) => balance,
            { phone: "fact" },
          ),
          {
            key: "advertiser",
            header: "Advertiser",
            value: ({ advertiser }) => advertiser,
            cell: ({ advertiser }) => advertiser ?? "None",
          },
          {
            key: "games",
            header: "Games",
            align: "right",
            phone: "fact",
            value: ({ games }) => games,
            cell: ({ games }) => formatCount(games),
          },
          {
            key: "members",
            header: "Members",
            align: "right",
            value: ({ members }) => members,
            cell: ({ members }) => formatCount(members),
          },
          {
            key: "created",
            header: "Created",
            value: ({ created_at: at }) => at,
            cell: ({ created_at: at }) => <Moment iso={at} />,
          },
        ]}
      />
    </Section>
  );
}
