import { Anchor, Skeleton } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useRead } from "../../api/queries.ts";
import { FIGURES_REFETCH_MS } from "../../api/refetch-times.ts";
import { useAbility } from "../../api/session.ts";
import { Chart } from "../../charts/chart.tsx";
import { monthOnMonth } from "../../format/change.ts";
import { centsOfMillicents, formatCount, formatNoun } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Money } from "../../kit/money.tsx";
import { Page } from "../../kit/page.tsx";
import { Failed } from "../../kit/states.tsx";
import { usePlacements } from "../games/reads.ts";
import { OperatorNotice } from "../system/operator-notice.tsx";
import { ADVERTISE_PATH, BEGIN_PARAMETER } from "./advertise-path.ts";
import { needsAttention, restSentence } from "./attention.ts";
import { AttentionList } from "./attention-list.tsx";
import type { CampaignSummary } from "./campaign-state.ts";
import { FirstImpression } from "./first-impression.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { useAdvertiser } from "./use-advertiser.ts";
import { spentIn } from "./use-campaign.ts";
import { useCampaigns } from "./use-campaigns.ts";

const GamesOverview = lazy(() => import("../games/games-overview.tsx"));

const CHART_DAYS = 30;
/** With the whole month before this one. */
const DAYS = 62;

const NO_CAMPAIGNS: CampaignSummary[] = [];

export function Component() {
  const { canChange } = useAbility();
  const { profile, isRegistered, isUnregistered } = useAdvertiser();
  const [wasUnregistered, setWasUnregistered] = useState(false);
  if (isUnregistered && !wasUnregistered) setWasUnregistered(true);
  const campaigns = useCampaigns({ enabled: isRegistered });
  const daily = useRead(
    "GET /analytics/daily",
    { query: { days: DAYS } },
    { enabled: isRegistered, refetchEveryMs: FIGURES_REFETCH_MS },
  );
  const [parameters] = useSearchParams();
  const mayHaveGames = isUnregistered && !parameters.has(BEGIN_PARAMETER);
  const games = usePlacements({ enabled: mayHaveGames });

  if (profile.error && !isRegistered && !isUnregistered) {
    return (
      <Page title="Overview">
        <Failed isCard what="The overview could not be loaded." read={profile}>
          Nothing was changed, and games are served apart from this page.
        </Failed>
      </Page>
    );
  }
  if (mayHaveGames && (games.isPending || games.data?.length)) {
    const toCome = (
      <Page title="Overview" about={null}>
        <Skeleton height={120} />
        <Skeleton height={160} />
      </Page>
    );
    if (games.data === undefined) return toCome;
    return (
      <Suspense fallback={toCome}>
        <GamesOverview placements={games.data} advertisePath={ADVERTISE_PATH} />
      </Suspense>
    );
  }
  // Who registers on this page has no campaign: the steps stay while that is read.
  const hasNone = isUnregistered || (wasUnregistered && !campaigns.isError);
  const list = campaigns.data?.campaigns ?? (hasNone ? NO_CAMPAIGNS : undefined);
  const isListKnown = list !== undefined || campaigns.isError;
  const hasEverRun = list?.some(({ status }) => status !== "draft") ?? true;
  const isNew = list !== undefined && !hasEverRun;
  const today = daily.data?.today;
  const month = daily.data?.month_to_date;
  const yesterday = daily.data?.days[1];
  const active = list?.filter(({ status }) => status === "active").length;
  return (
    <Page
      title="Overview"
      about={
        isUnregistered ? (
          "From nothing to a first active campaign in five steps."
        ) : profile.data ? (
          <Anchor component={Link} to="/account" inherit c="inherit">
            {profile.data.company_name}
          </Anchor>
        ) : null
      }
      actions={
        isListKnown && (
          <>
            <PlayDemo />
            {canChange && hasEverRun && <ButtonLink to="/campaigns/new">New campaign</ButtonLink>}
          </>
        )
      }
    >
      {isNew && <OperatorNotice />}
      {!isUnregistered && !isNew && (
        <Figures
          figures={[
            {
              label: "Balance",
              read: profile,
              value: <Money cents={profile.data?.balance_cents ?? 0} />,
              note: canChange ? (
                <Anchor component={Link} to="/money" fz="inherit">
                  Deposit
                </Anchor>
              ) : (
                "held money included"
              ),
            },
            {
              label: "Spend today (UTC)",
              read: daily,
              value: <Money cents={centsOfMillicents(today?.spent_millicents ?? 0)} />,
              note: yesterday && (
                <>
                  yesterday <Money cents={centsOfMillicents(yesterday.spent_millicents)} />
                </>
              ),
            },
            {
              label: "Spend this month (UTC)",
              read: daily,
              value: <Money cents={centsOfMillicents(month?.spent_millicents ?? 0)} />,
              note: formatNoun(month?.impressions ?? 0, "impression"),
              change: monthOnMonth(daily.data?.days, spentIn),
            },
            {
              label: "Impressions today",
              read: daily,
              value: formatCount(today?.impressions ?? 0),
              note: yesterday && `yesterday ${formatCount(yesterday.impressions)}`,
            },
            {
              label: "Active campaigns",
              read: campaigns,
              value: formatCount(active ?? 0),
              note: list && `of ${formatCount(list.length)}`,
            },
          ]}
        />
      )}
      {isNew ? (
        <FirstSteps advertiser={profile.data} campaigns={list} />
      ) : profile.data && isListKnown && (daily.data || daily.isError) ? (
        <>
          {list === undefined ? (
            <Failed isCard what="What needs attention could not be loaded." read={campaigns}>
              Nothing was changed, and games are served apart from this page.
            </Failed>
          ) : (
            <>
              {daily.data?.total.impressions === 0 && (
                <FirstImpression campaigns={list} balanceCents={profile.data.balance_cents} />
              )}
              <AttentionList
                items={needsAttention(list, profile.data.balance_cents, daily.data?.days ?? [], Date.now())}
                isComplete={daily.data !== undefined}
                rest={restSentence(list, Date.now())}
              />
            </>
          )}
          <Chart
            title="Spend, last 30 days"
            about="Days are UTC days; today is still running."
            kind="time"
            format="cents"
            rowKey="date"
            rowLabel="Day"
            rows={daily.data?.days
              .slice(0, CHART_DAYS)
              .map(({ date, spent_millicents: spent }) => ({ date, spent: centsOfMillicents(spent) }))
              .reverse()}
            series={[{ key: "spent", label: "Spend", role: "own" }]}
            read={daily}
          />
        </>
      ) : (
        // Whether the first steps or the chart stand here, and how long the list above the chart is, is not known yet.
        <>
          <Skeleton height={160} />
          <Skeleton height={350} />
        </>
      )}
    </Page>
  );
}

/** The way to the demo game, where the installation has one. */
function PlayDemo() {
  const demo = useRead("GET /demo");
  if (demo.data === undefined) return null;
  return (
    <ButtonLink to="/play" variant="default">
      Play the demo game
    </ButtonLink>
  );
}
