import { Box, Button, Menu, Skeleton, Stack } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { Outlet, useMatch, useNavigate, useParams } from "react-router";
import { hasStatus } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useLeaveSignal } from "../../api/use-leave-signal.ts";
import { formatCents, formatExactCents, formatTerm, impressionCents } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { Id } from "../../kit/id.tsx";
import { attempt, notifyDone, notifyFailed } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { Failed, NotLoaded } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { TabLinks } from "../../kit/tab-links.tsx";
import { useIsPhone } from "../../kit/use-is-phone.ts";
import { CampaignFigures, SpendChart } from "./campaign-report.tsx";
import { campaignState, exhaustedPart } from "./campaign-state.ts";
import { heldByCampaign } from "./consequences.ts";
import { duplicateCampaign } from "./duplicate-campaign.ts";
import { hasEnded } from "./flight.ts";
import { UnknownCampaign } from "./unknown-campaign.tsx";
import { useActivation } from "./use-activation.tsx";
import { type Campaign, heldCentsOf, MOVING } from "./use-campaign.ts";

const TABS = [
  { path: "", label: "Is it pacing?" },
  { path: "audience", label: "Who sees it?" },
  { path: "lines", label: "Which line works?" },
  { path: "targeting", label: "Where may it appear?" },
  { path: "simulator", label: "How does it look?" },
  { path: "explain", label: "Why not?" },
  { path: "settings", label: "Settings" },
];

/** Keeps the place of the head: on a phone, the state and the campaign id have lines of their own. */
const STATE_TO_COME = (
  <Box w={{ base: "100%", sm: 140 }}>
    <Skeleton height={20} width={140} />
  </Box>
);
const HEAD_TO_COME = {
  state: STATE_TO_COME,
  about: <Skeleton h={{ base: 44, sm: 22 }} w={280} />,
  actions: <Skeleton height={36} width={240} />,
};

/**
 * A campaign: its state and what can be done with it, its figures and its spend, then tabs by question. On a phone the
 * figures and the chart belong to the first tab, so that the answer of another one is at hand.
 */
export function Component() {
  const { campaignId = "" } = useParams();
  const base = `/campaigns/${campaignId}`;
  const isFirstTab = useMatch("/campaigns/:campaignId") !== null;
  const isPhone = useIsPhone();
  const at = { path: { campaign_id: campaignId } };
  const campaign = useRead("GET /campaigns/{campaign_id}", at, MOVING);
  const pacing = useRead("GET /campaigns/{campaign_id}/analytics/pacing", at);
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", at);
  const profile = useRead("GET /profile");
  const back = { to: "/campaigns", label: "Campaigns" };
  if (campaign.data === undefined) {
    return (
      <Page title="Campaign" back={back} {...(!campaign.error && HEAD_TO_COME)}>
        {hasStatus(campaign.error, 403, 404) ? (
          <UnknownCampaign />
        ) : campaign.error ? (
          <Failed isCard what="The campaign could not be loaded." read={campaign}>
            Nothing was changed, and games are served apart from this page.
          </Failed>
        ) : (
          <Stack>
            <Skeleton height={40} />
            <Skeleton height={96} />
            <Skeleton height={290} />
          </Stack>
        )}
      </Page>
    );
  }
  const { name, status, cpm_bid_cents: bid } = campaign.data;
  const state = campaignState(
    {
      ...campaign.data,
      creatives: creatives.data?.length ?? 1,
      pacing_status: pacing.data?.pacing_status ?? "on_pace",
    },
    profile.data?.balance_cents,
    Date.now(),
  );
  // What decides about the state: an active campaign may be served or not, another may lack a creative.
  const deciding = status === "active" ? pacing : creatives;
  return (
    <Page
      title={name}
      back={back}
      state={
        deciding.data !== undefined ? (
          <Status tone={state.tone}>
            {state.word}
            {state.cause && `: ${state.cause.charAt(0).toLowerCase()}${state.cause.slice(1)}`}
          </Status>
        ) : deciding.isError ? (
          <Status tone="quiet">
            {formatTerm(status)}; why it is served or not: <NotLoaded label="State" read={deciding} />
          </Status>
        ) : (
          STATE_TO_COME
        )
      }
      about={
        <>
          {formatCents(bid)} per thousand impressions, {formatExactCents(impressionCents(bid))} each
          <Box component="span" visibleFrom="sm">
            {" · "}
          </Box>
          <Box component="br" hiddenFrom="sm" />
          <Id value={campaignId} label="campaign id" />
        </>
      }
      actions={
        <CampaignActions
          campaign={campaign.data}
          hasCreative={(creatives.data?.length ?? 1) > 0}
          spent={
            pacing.data?.pacing_status === "exhausted" && !hasEnded(campaign.data, Date.now())
              ? exhaustedPart(campaign.data, profile.data?.balance_cents)
              : undefined
          }
        />
      }
    >
      {(isFirstTab || !isPhone) && <CampaignFigures campaign={campaign.data} />}
      {(isFirstTab || !isPhone) && <SpendChart campaign={campaign.data} />}
      <TabLinks label="Questions" base={base} tabs={TABS} />
      {/* A form belongs to one campaign: Back to another one must not take its values along. */}
      <Outlet key={campaignId} context={campaign.data satisfies Campaign} />
    </Page>
  );
}

interface CampaignActionsProps {
  campaign: Campaign;
  hasCreative: boolean;
  /** What is used up, so that nothing is served before there is more of it. */
  spent: "budget" | "balance" | undefined;
}

const MORE_MONEY = {
  budget: { label: "Raise budget", pageOf: (id: string) => `/campaigns/${id}/settings` },
  balance: { label: "Deposit", pageOf: () => "/money" },
} as const;

function CampaignActions({ campaign, hasCreative, spent }: CampaignActionsProps) {
  const { id, name, status } = campaign;
  const at = { path: { campaign_id: id } };
  const { canChange } = useAbility();
  const activation = useActivation(campaign);
  const pause = useChange("POST /campaigns/{campaign_id}/pause");
  const [isCopying, setCopying] = useState(false);
  const [isReading, setReading] = useState(false);
  const confirm = useConfirm();
  const navigate = useNavigate();
  const leaving = useLeaveSignal();
  if (!canChange) return null;

  const runPause = async () => {
    setReading(true);
    const games = await call("GET /campaigns/{campaign_id}/analytics/games", at).catch(() => undefined);
    setReading(false);
    const isAgreed = await confirm({
      title: `Pause ${name}`,
      consequences: [
        "Pausing stops serving at once.",
        heldByCampaign(games && { cents: heldCentsOf(games), ads: games.open_holds }),
        "You can activate it again at any time; nothing is lost.",
      ],
      action: "Pause campaign",
    });
    if (!isAgreed) return;
    await attempt(() => pause.mutateAsync(at), {
      done: `${name} is paused.`,
      failed: `${name} was not paused.`,
      change: `${name} was paused`,
    });
  };
  const duplicate = async () => {
    setCopying(true);
    try {
      const copy = await duplicateCampaign(id, leaving.current);
      notifyDone("The copy is a draft.");
      if (!leaving.current.aborted) await navigate(`/campaigns/${copy}/settings`);
    } catch (error) {
      if (!leaving.current.aborted)
        notifyFailed("The campaign was not duplicated.", error, "the campaign was duplicated");
    } finally {
      setCopying(false);
    }
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" loading={isCopying} rightSection={<IconChevronDown size={16} />}>
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
      {spent !== undefined && status === "active" && (
        <ButtonLink to={MORE_MONEY[spent].pageOf(id)}>{MORE_MONEY[spent].label}</ButtonLink>
      )}
      {status === "active" ? (
        <Button variant="default" onClick={() => void runPause()} loading={pause.isPending || isReading}>
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
