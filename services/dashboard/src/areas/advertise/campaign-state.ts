import { compileSchedule, parseDate } from "@diegetic/ad-rules/schedule";
import type { AnswerOf } from "../../api/operations.ts";
import { utcDayOf } from "../../format/days.ts";
import { impressionCents } from "../../format/format.ts";
import type { Tone } from "../../kit/status.tsx";
import type { Campaign } from "./use-campaign.ts";

export type CampaignSummary = AnswerOf<"GET /analytics/campaigns">["campaigns"][number];

export interface CampaignState {
  word: string;
  tone: Tone;
  cause: string | undefined;
}

const MILLICENTS_PER_CENT = 1_000;

/**
 * Which of the two is spent in an exhausted campaign: the smaller does not pay for another impression. Undefined while
 * the balance is unknown.
 */
export function exhaustedPart(
  {
    spent_millicents: spent,
    budget_cents: budget,
  }: Pick<CampaignSummary, "spent_millicents" | "budget_cents">,
  balanceCents: number | undefined,
): "budget" | "balance" | undefined {
  const remaining = budget * MILLICENTS_PER_CENT - spent;
  if (remaining <= 0) return "budget";
  if (balanceCents === undefined) return undefined;
  return remaining <= balanceCents * MILLICENTS_PER_CENT ? "budget" : "balance";
}

const EXHAUSTED_CAUSES = { budget: "Budget is used up", balance: "Balance is used up" } as const;

/** Whether the last moment of a campaign has passed, by the rule of the matching. */
export function hasEnded({ end_date }: Pick<CampaignSummary, "end_date">, nowMs: number): boolean {
  const schedule = compileSchedule({ start_date: null, end_date });
  return schedule !== null && schedule.endsBeforeMs <= nowMs;
}

/** The first and the last UTC day of a campaign, YYYY-MM-DD, by the same rule; undefined: it has no such limit. */
export function flightDays(campaign: Pick<Campaign, "start_date" | "end_date">) {
  const schedule = compileSchedule(campaign);
  const dayOf = (ms: number) => (Number.isFinite(ms) ? utcDayOf(ms) : undefined);
  if (schedule === null) return { first: undefined, last: undefined };
  return { first: dayOf(schedule.startsAtMs), last: dayOf(schedule.endsBeforeMs - 1) };
}

/** The moment that a date with a time names; undefined: it names a whole UTC day, or there is none. */
export function momentOfDate(date: string | null | undefined): string | undefined {
  const span = date ? parseDate(date) : undefined;
  if (span === undefined || span.firstMs !== span.lastMs) return undefined;
  return new Date(span.firstMs).toISOString();
}

const CAP_BELOW_PRICE = "The daily cap is below the price of one impression";

/** Whether the daily cap pays for no impression, on no day. */
export function isCapBelowPrice({
  daily_cap_cents: cap,
  cpm_bid_cents: bid,
}: Pick<CampaignSummary, "daily_cap_cents" | "cpm_bid_cents">): boolean {
  return cap !== null && cap < impressionCents(bid);
}

/** Whether a campaign is shown to players now, and why not. */
export function campaignState(
  campaign: Pick<
    CampaignSummary,
    | "status"
    | "creatives"
    | "pacing_status"
    | "spent_millicents"
    | "budget_cents"
    | "end_date"
    | "cpm_bid_cents"
    | "daily_cap_cents"
  >,
  balanceCents: number | undefined,
  nowMs: number,
): CampaignState {
  const { status, creatives, pacing_status: pacing } = campaign;
  if (status === "draft") {
    const cause = creatives === 0 ? "It needs a creative" : "Ready to be activated";
    return { word: "Draft", tone: "quiet", cause };
  }
  // Nothing but a person pauses a campaign: spent money ends its serving, not its status.
  if (status === "paused") {
    const cause = creatives === 0 ? "By your account; it needs a creative" : "By your account";
    return { word: "Paused", tone: "quiet", cause };
  }
  if (hasEnded(campaign, nowMs)) {
    return { word: "Active, not serving", tone: "quiet", cause: "Its end date has passed" };
  }
  switch (pacing) {
    case "not_started":
      return { word: "Active, not serving", tone: "info", cause: "Its start date has not come" };
    case "exhausted": {
      const part = exhaustedPart(campaign, balanceCents);
      const cause = part === undefined ? "Budget or balance is used up" : EXHAUSTED_CAUSES[part];
      return { word: "Active, not serving", tone: "negative", cause };
    }
    case "capped_today":
      return isCapBelowPrice(campaign)
        ? { word: "Active, not serving", tone: "negative", cause: CAP_BELOW_PRICE }
        : { word: "Active, not serving", tone: "warning", cause: "Daily cap reached until 00:00 UTC" };
    case "under_pacing":
      return { word: "Active", tone: "positive", cause: "Spends slower than planned" };
    case "over_pacing":
      return { word: "Active", tone: "positive", cause: "Spends faster than planned" };
    default:
      return { word: "Active", tone: "positive", cause: undefined };
  }
}

export interface Attention {
  key: string;
  tone: "warning" | "negative";
  what: string;
  cause: string;
  /** `isForViewers`: it only shows something, so that those who may change nothing can follow it. */
  fix: { to: string; label: string; isForViewers?: true };
}

const DAYS_OF_BALANCE = 7;

/** What is said where nothing is served and nobody has to do anything about it; undefined while something is served. */
export function restSentence(campaigns: readonly CampaignSummary[], nowMs: number): string | undefined {
  const running = campaigns.filter((campaign) => campaign.status !== "draft" && !hasEnded(campaign, nowMs));
  if (running.some(({ status }) => status === "active")) return undefined;
  if (running.length === 0) return "Nothing is being served: no campaign runs.";
  return running.length === 1
    ? "Nothing is being served: the campaign is paused."
    : "Nothing is being served: all campaigns are paused.";
}

/** What keeps campaigns from doing their work, the most urgent first, and active campaigns before others. */
export function needsAttention(
  campaigns: readonly CampaignSummary[],
  balanceCents: number,
  days: AnswerOf<"GET /analytics/daily">["days"],
  nowMs: number,
): Attention[] {
  const running = campaigns.filter((campaign) => !hasEnded(campaign, nowMs));
  const isServing = running.some(({ status }) => status === "active");
  const hasSpent = campaigns.some(({ spent_millicents: spent }) => spent > 0);
  const found = [
    isServing ? attentionToBalance(balanceCents, days) : undefined,
    ...[...running]
      .sort((one, other) => Number(other.status === "active") - Number(one.status === "active"))
      .map((campaign) => attentionTo(campaign, balanceCents, hasSpent)),
  ].filter((one) => one !== undefined);
  return found.sort((one, other) => Number(other.tone === "negative") - Number(one.tone === "negative"));
}

function attentionToBalance(
  balanceCents: number,
  days: AnswerOf<"GET /analytics/daily">["days"],
): Attention | undefined {
  const fix = { to: "/money", label: "Deposit" };
  if (balanceCents === 0) {
    return {
      key: "balance",
      tone: "negative",
      what: "Nothing is served",
      cause: "The balance is used up.",
      fix,
    };
  }
  const lastWeek = days.slice(1, 8).map(({ spent_millicents: spent }) => spent);
  // Newest first: days before the first spend say nothing about a new advertiser.
  const daysSinceFirst = lastWeek.findLastIndex((spent) => spent > 0) + 1;
  const perDay = lastWeek.reduce((sum, spent) => sum + spent, 0) / daysSinceFirst;
  const left = (balanceCents * MILLICENTS_PER_CENT) / perDay;
  // Infinite or not a number when nothing was spent.
  if (!(left < DAYS_OF_BALANCE)) return undefined;
  const cause = `It lasts ${aboutDays(Math.floor(left))} at last week's spend.`;
  return { key: "balance", tone: "warning", what: "The balance is low", cause, fix };
}

function aboutDays(days: number): string {
  if (days === 0) return "less than a day";
  return days === 1 ? "about a day" : `about ${days} days`;
}

function attentionTo(
  campaign: CampaignSummary,
  balanceCents: number,
  hasSpent: boolean,
): Attention | undefined {
  const { campaign_id: id, name: what, status, creatives, pacing_status: pacing } = campaign;
  const to = `/campaigns/${id}`;
  if (status === "draft" && creatives === 0) {
    const cause = "It has no creative, so it cannot be activated.";
    const fix = { to: `${to}/creatives/new`, label: "Write a creative" };
    return { key: id, tone: "warning", what, cause, fix };
  }
  if (status !== "active") return undefined;
  switch (pacing) {
    case "exhausted":
      return attentionToExhausted(campaign, balanceCents);
    case "under_pacing": {
      // The page says that an account without any spend waits for its first impression.
      if (!hasSpent) return undefined;
      const fix = { to: `${to}/explain`, label: "See why", isForViewers: true } as const;
      return { key: id, tone: "warning", what, cause: "It spends slower than planned.", fix };
    }
    case "capped_today": {
      const fix = { to: `${to}/settings`, label: "Raise the cap" };
      if (isCapBelowPrice(campaign)) {
        const cause = `${CAP_BELOW_PRICE}. Raise the cap to at least the price, or lower the bid.`;
        return { key: id, tone: "negative", what, cause, fix };
      }
      const cause = "It has reached today's cap and is served again at 00:00 UTC.";
      return { key: id, tone: "warning", what, cause, fix };
    }
    default:
      return undefined;
  }
}

function attentionToExhausted(campaign: CampaignSummary, balanceCents: number): Attention | undefined {
  const { campaign_id: id, name: what } = campaign;
  const part = exhaustedPart(campaign, balanceCents);
  if (part === "budget") {
    const cause = "Its budget is spent, so it is no longer served.";
    const fix = { to: `/campaigns/${id}/settings`, label: "Raise the budget" };
    return { key: id, tone: "negative", what, cause, fix };
  }
  // That the whole balance is used up is said once for all campaigns.
  if (part === undefined || balanceCents === 0) return undefined;
  const cause = "The balance does not pay for another of its impressions.";
  return { key: id, tone: "negative", what, cause, fix: { to: "/money", label: "Deposit" } };
}
