import { Box, Button, Card, Menu, Skeleton, Stack } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { Outlet, useNavigate, useParams } from "react-router";
import { ApiError } from "../../api/api-error.ts";
import { hasStatus, useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { formatCents, formatExactCents } from "../../format/format.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { Id } from "../../kit/id.tsx";
import { notifyDone, notifyFailed } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { Failed } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { TabLinks } from "../../kit/tab-links.tsx";
import { campaignState } from "./campaign-state.ts";
import { duplicateCampaign } from "./duplicate-campaign.ts";
import { UnknownCampaign } from "./unknown-campaign.tsx";
import { useActivation } from "./use-activation.tsx";
import type { Campaign } from "./use-campaign.ts";

const TABS = [
  { path: "", label: "Is it pacing?" },
  { path: "audience", label: "Who sees it?" },
  { path: "lines", label: "Which line works?" },
  { path: "targeting", label: "Where may it appear?" },
  { path: "simulator", label: "How does it look?" },
  { path: "explain", label: "Why not?" },
  { path: "settings", label: "Settings" },
];

/** A campaign: its state and what can be done with it, then tabs by question. */
export function Component() {
  const { campaignId = "" } = useParams();
  const at = { path: { campaign_id: campaignId } };
  const campaign = useRead("GET /campaigns/{campaign_id}", at);
  const pacing = useRead("GET /campaigns/{campaign_id}/analytics/pacing", at);
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", at);
  const back = { to: "/campaigns", label: "Campaigns" };
  if (campaign.data === undefined) {
    return (
      <Page title="Campaign" back={back}>
        {hasStatus(campaign.error, 403, 404) ? (
          <UnknownCampaign />
        ) : campaign.error ? (
          <Card>
            <Failed
              what="The campaign could not be loaded."
              error={campaign.error}
              onRetry={() => void campaign.refetch()}
            >
              Serving continues unchanged.
            </Failed>
          </Card>
        ) : (
          <Stack>
            <Skeleton height={40} />
            <Skeleton height={96} />
            <Skeleton height={320} />
          </Stack>
        )}
      </Page>
    );
  }
  const { name, status, cpm_bid_cents: bid } = campaign.data;
  const state = campaignState({
    status,
    creatives: creatives.data?.length ?? 1,
    pacing_status: pacing.data?.pacing_status ?? "on_pace",
  });
  return (
    <Page
      title={name}
      back={back}
      state={
        <Status tone={state.tone} cause={state.cause} isShort>
          {state.word}
          {state.cause && `: ${state.cause.charAt(0).toLowerCase()}${state.cause.slice(1)}`}
        </Status>
      }
      about={
        <>
          {formatCents(bid)} per thousand impressions, {formatExactCents(bid / 1_000)} each
          <Box component="span" visibleFrom="sm">
            {" · "}
          </Box>
          <Box component="br" hiddenFrom="sm" />
          <Id value={campaignId} label="campaign id" />
        </>
      }
      actions={<CampaignActions campaign={campaign.data} hasCreative={(creatives.data?.length ?? 1) > 0} />}
    >
      <TabLinks label="Questions" base={`/campaigns/${campaignId}`} tabs={TABS} />
      <Outlet context={campaign.data satisfies Campaign} />
    </Page>
  );
}

function CampaignActions({ campaign, hasCreative }: { campaign: Campaign; hasCreative: boolean }) {
  const { id, name, status } = campaign;
  const at = { path: { campaign_id: id } };
  const { canChange } = useAbility();
  const activation = useActivation(campaign);
  const pause = useChange("POST /campaigns/{campaign_id}/pause");
  const [isCopying, setCopying] = useState(false);
  const confirm = useConfirm();
  const navigate = useNavigate();
  if (!canChange) return null;

  const runPause = async () => {
    const isAgreed = await confirm({
      title: `Pause ${name}`,
      consequences: [
        "Pausing stops serving at once.",
        "Ads that were already matched are billed if they are seen within the next minutes.",
        "You can activate it again at any time; nothing is lost.",
      ],
      action: "Pause campaign",
    });
    if (!isAgreed) return;
    try {
      await pause.mutateAsync(at);
      notifyDone(`${name} is paused.`);
    } catch (error) {
      notifyFailed(`${name} was not paused.`, error);
    }
  };
  const duplicate = async () => {
    setCopying(true);
    try {
      const copy = await duplicateCampaign(id);
      notifyDone("The copy is a draft.");
      await navigate(`/campaigns/${copy}/settings`);
    } catch (error) {
      notifyFailed("The campaign was not duplicated.", error instanceof ApiError ? error : String(error));
    } finally {
      setCopying(false);
    }
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            loading={isCopying}
            rightSection={<IconChevronDown size={16} stroke={1.5} />}
          >
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void navigate(`/campaigns/${id}/creatives/new`)}>
            Write a creative
          </Menu.Item>
          <Menu.Item onClick={() => void duplicate()}>Duplicate campaign</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {status === "active" ? (
        <Button variant="default" onClick={() => void runPause()} loading={pause.isPending}>
          Pause campaign
        </Button>
      ) : hasCreative ? (
        <Button onClick={() => void activation.run()} loading={activation.isRunning}>
          Activate campaign
        </Button>
      ) : (
        <Button onClick={() => void navigate(`/campaigns/${id}/creatives/new`)}>Write a creative</Button>
      )}
      {activation.dialog}
    </>
  );
}
