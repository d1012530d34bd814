import { Button, Group, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { call } from "../../api/call.ts";
import { callToChange } from "../../api/call-to-change.ts";
import { useRead } from "../../api/queries.ts";
import { retryWhileRateLimited } from "../../api/retry-rate-limited.ts";
import { useAbility } from "../../api/session.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { centsOfMillicents, formatNoun } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import type { Columns } from "../../kit/columns.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import type { Filter } from "../../kit/use-table-view.ts";
import classes from "./campaign-list.module.css";
import { type CampaignSummary, campaignState } from "./campaign-state.ts";
import { capsBelowPrice, heldByAccount, spendOnceActive } from "./consequences.ts";
import { duplicateCampaign } from "./duplicate-campaign.ts";
import { NotRegistered } from "./not-registered.tsx";
import { PacingBar } from "./pacing-bar.tsx";
import { useAdvertiser } from "./use-advertiser.ts";
import { type BulkRun, useBulkRun } from "./use-bulk-run.ts";
import { useCampaigns } from "./use-campaigns.ts";

const columnsOf =
  (balanceCents: number | undefined): Columns<CampaignSummary> =>
  (make) => [
    make.name("name", "Campaign", ({ name }) => name),
    make.money("spent", "Spend", ({ spent_millicents: spent }) => centsOfMillicents(spent), {
      phone: "fact",
    }),
    make.status("status", "Status", (campaign) => campaignState(campaign, balanceCents, Date.now()), {
      phone: "fact",
    }),
    make.money("budget", "Budget", ({ budget_cents: budget }) => budget),
    make.share("pacing", "Of budget spent", spentShare, {
      help: "The mark on the bar is what the dates or the daily cap plan by now.",
      cell: ({ spent_millicents: spent, budget_cents: budget, expected_spend_millicents: planned }) => (
        <PacingBar
          spentCents={centsOfMillicents(spent)}
          budgetCents={budget}
          plannedCents={planned === null ? null : centsOfMillicents(planned)}
        />
      ),
    }),
    {
      key: "recent",
      header: "Last 14 days",
      help: "Spend per UTC day; today is the last point.",
      cell: ({ daily_spent_millicents: days, name }) => (
        <Sparkline values={days} label={`Spend of ${name} in the last 14 days`} />
      ),
    },
    make.number("impressions", "Impressions", ({ impressions }) => impressions),
    make.money("cpm", "Effective CPM", effectiveCpmCents, { help: "What a thousand impressions have cost." }),
  ];

const csvColumns: Columns<CampaignSummary> = (make) => [
  make.id("id", "Campaign id", ({ campaign_id: id }) => id, "campaign id"),
];

function spentShare({ spent_millicents: spent, budget_cents: budget }: CampaignSummary): number {
  return spent / budget / 1_000;
}

function effectiveCpmCents({ spent_millicents: spent, impressions }: CampaignSummary): number | undefined {
  return impressions === 0 ? undefined : spent / impressions;
}

const searchIn = ({ name }: CampaignSummary) => [name];
const rowKey = ({ campaign_id: id }: CampaignSummary) => id;

const filters: Filter<CampaignSummary>[] = [
  {
    key: "status",
    label: "Status",
    options: [
      { value: "active", label: "Active" },
      { value: "paused", label: "Paused" },
      { value: "draft", label: "Draft" },
    ],
    matches: ({ status }, value) => status === value,
  },
  {
    key: "serving",
    label: "Serving",
    options: [
      { value: "yes", label: "Serving" },
      { value: "no", label: "Not serving" },
    ],
    matches: (campaign, value) => {
      const isServing = campaignState(campaign, undefined, Date.now()).word === "Active";
      return isServing === (value === "yes");
    },
  },
];

export function Component() {
  const { canChange } = useAbility();
  const { profile, isUnregistered, canRead } = useAdvertiser();
  const campaigns = useCampaigns({ enabled: canRead });
  const bulk = useBulkRun();
  const balanceCents = profile.data?.balance_cents;
  const columns = useMemo(() => columnsOf(balanceCents), [balanceCents]);
  const newCampaign = <ButtonLink to="/campaigns/new">New campaign</ButtonLink>;
  if (isUnregistered) return <NotRegistered title="Campaigns" />;
  return (
    <Page title="Campaigns" actions={canChange && newCampaign}>
      <div className={classes.list}>
        <div role="status" aria-label="Progress">
          {bulk.progress !== undefined && (
            <Group gap="sm" mb="sm">
              <Text>{bulk.progress}</Text>
              <Button size="compact-sm" variant="default" onClick={bulk.stop}>
                Stop
              </Button>
            </Group>
          )}
        </div>
        <DataTable
          label="Campaigns"
          columns={columns}
          csvColumns={csvColumns}
          filters={filters}
          rows={campaigns.data?.campaigns}
          rowKey={rowKey}
          rowTo={({ campaign_id: id }) => `/campaigns/${id}`}
          searchIn={searchIn}
          read={campaigns}
          empty={
            <Empty line="No story has been told for you yet." action={canChange && newCampaign}>
              A campaign is a budget, a bid, and the lines that players read.
            </Empty>
          }
          {...(canChange && {
            bulkActions: (rows: CampaignSummary[], deselect: BulkActionsProps["deselect"]) => (
              <BulkActions rows={rows} deselect={deselect} bulk={bulk} />
            ),
          })}
        />
      </div>
    </Page>
  );
}

/** One call for each of several campaigns. */
function calling(key: "POST /campaigns/{campaign_id}/activate" | "POST /campaigns/{campaign_id}/pause") {
  return (id: string, signal: AbortSignal) =>
    retryWhileRateLimited(() => callToChange(key, { path: { campaign_id: id } }), signal);
}

interface BulkActionsProps {
  rows: CampaignSummary[];
  /** Those that were refused stay chosen for another try. */
  deselect: (done: readonly CampaignSummary[]) => void;
  bulk: BulkRun;
}

/** What can be done with several campaigns. */
function BulkActions({ rows, deselect, bulk }: BulkActionsProps) {
  const confirm = useConfirm();
  const [isReading, setReading] = useState(false);
  const balanceCents = useRead("GET /profile").data?.balance_cents;
  const isRunning = bulk.progress !== undefined;
  const run = async (...[work]: Parameters<BulkRun["run"]>) => {
    deselect(await bulk.run(work));
  };
  const stopped = rows.filter(({ status }) => status !== "active");
  const startable = stopped.filter(({ creatives }) => creatives > 0);
  const unwritten = stopped.length - startable.length;
  const active = rows.filter(({ status }) => status === "active");
  const activate = async () => {
    const isOne = startable.length === 1;
    const isAgreed = await confirm({
      title: `Activate ${formatNoun(startable.length, "campaign")}`,
      consequences: [
        `Within ${isOne ? "its" : "their"} dates, serving starts with the next match.`,
        spendOnceActive(startable, balanceCents),
        capsBelowPrice(startable),
      ].filter((sentence) => sentence !== undefined),
      action: isOne ? "Activate campaign" : "Activate campaigns",
    });
    if (!isAgreed) return;
    await run({
      doing: "Activating",
      done: "activated",
      campaigns: startable,
      work: calling("POST /campaigns/{campaign_id}/activate"),
    });
  };
  const pause = async () => {
    setReading(true);
    const ledger = await call("GET /ledger", { query: { days: 1 } }).catch(() => undefined);
    setReading(false);
    const isAgreed = await confirm({
      title: `Pause ${formatNoun(active.length, "campaign")}`,
      consequences: ["Pausing stops serving at once.", heldByAccount(ledger?.totals.held_cents)],
      action: active.length === 1 ? "Pause campaign" : "Pause campaigns",
    });
    if (!isAgreed) return;
    await run({
      doing: "Pausing",
      done: "paused",
      campaigns: active,
      work: calling("POST /campaigns/{campaign_id}/pause"),
    });
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        disabled={startable.length === 0}
        loading={isRunning}
        onClick={() => void activate()}
      >
        Activate {startable.length > 0 && startable.length}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        disabled={active.length === 0}
        loading={isRunning || isReading}
        onClick={() => void pause()}
      >
        Pause {active.length > 0 && active.length}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={isRunning}
        onClick={() =>
          void run({ doing: "Duplicating", done: "duplicated", campaigns: rows, work: duplicateCampaign })
        }
      >
        Duplicate {rows.length}
      </Button>
      {unwritten > 0 && (
        <Text fz="xs" c="dimmed">
          {formatNoun(unwritten, "campaign")} without a creative cannot be activated.
        </Text>
      )}
    </>
  );
}
