import { Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { ApiError } from "../../api/api-error.ts";
import { patientCall } from "../../api/call.ts";
import { hasStatus } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { centsOfMillicents, formatCount, formatNoun } from "../../format/format.ts";
import type { Column } from "../../kit/columns.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { DataTable, type Filter } from "../../kit/data-table.tsx";
import { Money } from "../../kit/money.tsx";
import { notifyDone, notifyFailed } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { type CampaignSummary, campaignState } from "./campaign-state.ts";
import { duplicateCampaign } from "./duplicate-campaign.ts";
import { NotRegistered } from "./not-registered.tsx";
import { PacingBar } from "./pacing-bar.tsx";
import { useCampaigns } from "./use-campaigns.ts";

const columns: Column<CampaignSummary>[] = [
  {
    key: "name",
    header: "Campaign",
    phone: "title",
    value: ({ name }) => name,
    cell: ({ name }) => name,
  },
  {
    key: "spent",
    header: "Spend",
    align: "right",
    phone: "fact",
    value: ({ spent_millicents: spent }) => centsOfMillicents(spent),
    csv: ({ spent_millicents: spent }) => centsOfMillicents(spent) / 100,
    cell: ({ spent_millicents: spent }) => <Money cents={centsOfMillicents(spent)} />,
  },
  {
    key: "status",
    header: "Status",
    phone: "fact",
    value: (campaign) => campaignState(campaign).word,
    cell: (campaign) => {
      const { word, tone, cause } = campaignState(campaign);
      return (
        <Status tone={tone} cause={cause}>
          {word}
        </Status>
      );
    },
  },
  {
    key: "budget",
    header: "Budget",
    align: "right",
    value: ({ budget_cents: budget }) => budget,
    csv: ({ budget_cents: budget }) => budget / 100,
    cell: ({ budget_cents: budget }) => <Money cents={budget} />,
  },
  {
    key: "pacing",
    header: "Of budget spent",
    align: "right",
    value: ({ spent_millicents: spent, budget_cents: budget }) => spent / budget / 1_000,
    cell: ({ spent_millicents: spent, budget_cents: budget }) => (
      <PacingBar spentCents={centsOfMillicents(spent)} budgetCents={budget} />
    ),
  },
  {
    key: "recent",
    header: "Last 14 days",
    help: "Spend per UTC day; today is the last point.",
    cell: ({ daily_spent_millicents: days, name }) => (
      <Sparkline values={days} label={`Spend of ${name} in the last 14 days`} />
    ),
  },
  {
    key: "impressions",
    header: "Impressions",
    align: "right",
    value: ({ impressions }) => impressions,
    cell: ({ impressions }) => formatCount(impressions),
  },
  {
    key: "cpm",
    header: "Effective CPM",
    help: "What a thousand impressions have cost.",
    align: "right",
    value: (campaign) => effectiveCpmCents(campaign),
    csv: (campaign) => {
      const cents = effectiveCpmCents(campaign);
      return cents === undefined ? undefined : cents / 100;
    },
    cell: (campaign) => {
      const cents = effectiveCpmCents(campaign);
      return cents === undefined ? "–" : <Money cents={cents} />;
    },
  },
];

function effectiveCpmCents({ spent_millicents: spent, impressions }: CampaignSummary): number | undefined {
  return impressions === 0 ? undefined : spent / impressions;
}

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
      const isServing = campaignState(campaign).word === "Active";
      return isServing === (value === "yes");
    },
  },
];

export function Component() {
  const { canChange } = useAbility();
  const campaigns = useCampaigns();
  const newCampaign = (
    <Button component={Link} to="/campaigns/new">
      New campaign
    </Button>
  );
  if (hasStatus(campaigns.error, 403)) return <NotRegistered title="Campaigns" />;
  return (
    <Page title="Campaigns" actions={canChange && newCampaign}>
      <DataTable
        label="Campaigns"
        columns={columns}
        filters={filters}
        rows={campaigns.data?.campaigns}
        rowKey={({ campaign_id: id }) => id}
        rowTo={({ campaign_id: id }) => `/campaigns/${id}`}
        searchIn={({ name, campaign_id: id }) => [name, id]}
        error={campaigns.error}
        onRetry={() => void campaigns.refetch()}
        empty={
          <Empty line="No story has been told for you yet." action={canChange && newCampaign}>
            A campaign is a budget, a bid, and the lines that players read.
          </Empty>
        }
        {...(canChange && {
          bulkActions: (rows: CampaignSummary[], clear: () => void) => (
            <BulkActions rows={rows} clear={clear} />
          ),
        })}
      />
    </Page>
  );
}

/** Does the same with several campaigns, one after the other, and says how far it is. */
function BulkActions({ rows, clear }: { rows: CampaignSummary[]; clear: () => void }) {
  const client = useQueryClient();
  const confirm = useConfirm();
  const [progress, setProgress] = useState<string>();
  const run = async (verb: string, chosen: CampaignSummary[], work: (id: string) => Promise<unknown>) => {
    const refused: string[] = [];
    for (const [index, { campaign_id: id, name }] of chosen.entries()) {
      setProgress(`${index + 1} of ${chosen.length}`);
      try {
        await work(id);
      } catch (error) {
        refused.push(`${name}: ${error instanceof ApiError ? error.detail : String(error)}`);
      }
    }
    setProgress(undefined);
    if (refused.length > 0) {
      notifyFailed(
        `${formatNoun(refused.length, "campaign")} could not be ${verb}.`,
        new ApiError(0, refused.join(" ")),
      );
    }
    const count = chosen.length - refused.length;
    if (count > 0) notifyDone(`${formatNoun(count, "campaign")} ${verb}.`);
    clear();
    await client.invalidateQueries();
  };
  const stopped = rows.filter(({ status }) => status !== "active");
  const startable = stopped.filter(({ creatives }) => creatives > 0);
  const unwritten = stopped.length - startable.length;
  const active = rows.filter(({ status }) => status === "active");
  const pause = async () => {
    const isAgreed = await confirm({
      title: `Pause ${formatNoun(active.length, "campaign")}`,
      consequences: [
        "Pausing stops serving at once. Ads that were already matched may still be seen and billed.",
      ],
      action: active.length === 1 ? "Pause campaign" : "Pause campaigns",
    });
    if (!isAgreed) return;
    await run("paused", active, (id) =>
      patientCall("POST /campaigns/{campaign_id}/pause", { path: { campaign_id: id } }),
    );
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        disabled={startable.length === 0}
        loading={progress !== undefined}
        onClick={() =>
          void run("activated", startable, (id) =>
            patientCall("POST /campaigns/{campaign_id}/activate", { path: { campaign_id: id } }),
          )
        }
      >
        Activate {startable.length > 0 && startable.length}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        disabled={active.length === 0}
        loading={progress !== undefined}
        onClick={() => void pause()}
      >
        Pause {active.length > 0 && active.length}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={progress !== undefined}
        onClick={() => void run("duplicated", rows, duplicateCampaign)}
      >
        Duplicate {rows.length}
      </Button>
      {unwritten > 0 && (
        <Text fz={13} c="dimmed">
          {formatNoun(unwritten, "campaign")} without a creative cannot be activated.
        </Text>
      )}
      <span aria-live="polite">{progress}</span>
    </>
  );
}
