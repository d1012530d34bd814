import type { ReactNode } from "react";
import { useRead } from "../../api/queries.ts";
import { Chart, REPORT_CHART_HEIGHT } from "../../charts/chart.tsx";
import type { Series } from "../../charts/chart-data.ts";
import { sumOf, weekOnWeek } from "../../format/change.ts";
import {
  centsOfMillicents,
  formatCount,
  formatDayWithYear,
  formatNoun,
  formatShare,
  formatTerm,
} from "../../format/format.ts";
import { NO_FIGURE } from "../../kit/columns.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Money } from "../../kit/money.tsx";
import { Empty, NotLoaded } from "../../kit/states.tsx";
import { exhaustedPart } from "./campaign-state.ts";
import { flightDays, hasEnded } from "./flight.ts";
import { type DailyRow, spendRows } from "./ideal-line.ts";
import { hasPace, spendOutlook } from "./spend-outlook.ts";
import { type Campaign, MOVING, pathOf, spentIn, useHeldCents } from "./use-campaign.ts";

const DAYS = 30;

/** The last days of a campaign, newest first. */
export function useDaily(campaign: Campaign) {
  return useRead(
    "GET /campaigns/{campaign_id}/analytics/daily",
    { ...pathOf(campaign), query: { days: DAYS } },
    MOVING,
  );
}

const impressionsIn = sumOf(({ impressions }: DailyRow) => impressions);

/** Zero without impressions. */
function cpmIn(days: readonly DailyRow[]): number {
  const impressions = impressionsIn(days);
  return impressions === 0 ? 0 : spentIn(days) / impressions;
}

/** The summary line of a campaign. */
export function CampaignFigures({ campaign }: { campaign: Campaign }) {
  const at = pathOf(campaign);
  const pacing = useRead("GET /campaigns/{campaign_id}/analytics/pacing", at, MOVING);
  const stats = useRead("GET /campaigns/{campaign_id}/stats", at, MOVING);
  const daily = useDaily(campaign);
  const heldCents = useHeldCents(campaign);
  const days = daily.data?.days;
  const yesterday = days?.[1];
  // A campaign that is younger than both weeks has no equal period to compare with.
  const weeks = days === undefined || impressionsIn(days.slice(14)) > 0 ? days : [];
  const hadImpressions = impressionsIn(days?.slice(1, 8) ?? []) > 0;
  const { data } = pacing;
  const isOver = hasEnded(campaign, Date.now());
  const profile = useRead("GET /profile");
  const balanceCents = profile.data?.balance_cents;
  /** A note that would be wrong without the balance. */
  const byBalance = (note: (balanceCents: number) => ReactNode) => {
    if (balanceCents !== undefined) return note(balanceCents);
    return profile.isError && <NotLoaded label="Balance" isNamed read={profile} />;
  };
  const isServable = !isOver && campaign.status === "active" && data?.pacing_status !== "not_started";
  const lastDay = isOver ? flightDays(campaign).last : undefined;
  return (
    <Figures
      figures={[
        {
          label: "Spend",
          read: pacing,
          value: <Money cents={centsOfMillicents(data?.spent_millicents ?? 0)} />,
          note: (
            <>
              {formatShare((data?.utilization_pct ?? 0) / 100)} of <Money cents={data?.budget_cents ?? 0} />
              {heldCents !== undefined && (
                <>
                  , <Money cents={heldCents} exact /> held
                </>
              )}
            </>
          ),
          change: weekOnWeek(weeks, spentIn),
        },
        {
          label: "Spend today (UTC)",
          read: pacing,
          value: <Money cents={centsOfMillicents(data?.today_spent_millicents ?? 0)} />,
          note:
            data &&
            isServable &&
            byBalance((cents) => (
              <>
                up to <Money cents={Math.min(data.today_remaining_cents, cents)} /> more
              </>
            )),
          change: yesterday && (
            <>
              yesterday <Money cents={centsOfMillicents(yesterday.spent_millicents)} />
            </>
          ),
        },
        {
          label: "Impressions",
          read: stats,
          value: formatCount(stats.data?.impressions ?? 0),
          note: `${formatNoun(stats.data?.unique_users ?? 0, "player")} in ${formatNoun(stats.data?.unique_games ?? 0, "game")}`,
          change: weekOnWeek(weeks, impressionsIn),
        },
        {
          label: "Effective CPM",
          read: stats,
          value: stats.data?.impressions ? <Money cents={stats.data.effective_cpm_cents} /> : NO_FIGURE,
          note: (
            <>
              bid <Money cents={campaign.cpm_bid_cents} />
            </>
          ),
          // A week without impressions has no CPM.
          change: days === undefined || hadImpressions ? weekOnWeek(weeks, cpmIn) : null,
        },
        {
          label: "Pacing",
          read: pacing,
          value: isOver
            ? "Ended"
            : campaign.status === "paused"
              ? "Paused"
              : pacingWords(campaign, data?.pacing_status ?? "not_started"),
          note: lastDay
            ? `Its last day was ${formatDayWithYear(lastDay)} (UTC)`
            : data?.pacing_status === "exhausted"
              ? EXHAUSTED_NOTES[exhaustedPart(campaign, balanceCents) ?? "either"]
              : campaign.status === "active" && data?.spent_millicents === 0
                ? "No spend to project yet"
                : data &&
                  hasPace(campaign, data) &&
                  byBalance((cents) => spendOutlook(campaign, data, cents, Date.now())),
        },
      ]}
    />
  );
}

const EXHAUSTED_NOTES = {
  budget: "The budget is used up",
  balance: "The balance is used up",
  either: "The budget or the balance is used up",
} as const;

/** Whether two dates or a daily cap say how fast a campaign should spend. */
function hasPlan({ start_date: start, end_date: end, daily_cap_cents: cap }: Campaign): boolean {
  return cap !== null || (start !== null && end !== null);
}

const PACING_WORDS: Readonly<Record<string, string>> = {
  under_pacing: "Too slow",
  over_pacing: "Too fast",
  on_pace: "On plan",
};

function pacingWords(campaign: Campaign, status: string): string {
  if (status === "on_pace" && !hasPlan(campaign)) return "No plan";
  return PACING_WORDS[status] ?? formatTerm(status);
}

function aboutSpend(hasIdeal: boolean, hasProjection: boolean): string {
  const ideal = hasIdeal ? ", beside the ideal line" : "";
  const pace = hasProjection ? `${hasIdeal ? "" : ","} and where this pace leads` : "";
  const hint = hasIdeal ? "" : " Two dates or a daily cap would set an ideal line.";
  return `All spend up to each UTC day${ideal}${pace}.${hint}`;
}

/** All spend up to each day, beside the ideal line where there is one. */
export function SpendChart({ campaign }: { campaign: Campaign }) {
  const pacing = useRead("GET /campaigns/{campaign_id}/analytics/pacing", pathOf(campaign));
  const daily = useDaily(campaign);
  const balanceCents = useRead("GET /profile").data?.balance_cents;
  const all =
    daily.data && pacing.data ? spendRows(campaign, daily.data.days, pacing.data, balanceCents) : undefined;
  const hasIdeal = all?.some(({ ideal }) => ideal !== null) ?? false;
  const hasProjection = (all?.filter(({ projected }) => projected !== null).length ?? 0) > 1;
  const series: Series[] = [
    { key: "spent", label: "Spent so far", role: "own" },
    ...(hasIdeal ? [{ key: "ideal", label: "Ideal", role: "plan" } as const] : []),
    ...(hasProjection ? [{ key: "projected", label: "At this pace", role: "blue" } as const] : []),
  ];
  return (
    <Chart
      title={
        hasPlan(campaign)
          ? "Spend against the ideal line"
          : campaign.status === "paused" || pacing.data?.pacing_status === "exhausted"
            ? "Spend so far"
            : "Spend and where it leads"
      }
      about={aboutSpend(hasPlan(campaign), hasProjection)}
      kind="time"
      format="cents"
      height={REPORT_CHART_HEIGHT}
      rowKey="date"
      rowLabel="Day"
      rows={campaign.spent_cents === 0 && !hasIdeal ? all && [] : all}
      series={series}
      empty={
        <Empty line="Not a coin has been spent.">
          The line begins with the first impression that a player has seen.
        </Empty>
      }
      read={{
        error: daily.error ?? pacing.error,
        refetch: () => Promise.all([daily.refetch(), pacing.refetch()]),
      }}
    />
  );
}
