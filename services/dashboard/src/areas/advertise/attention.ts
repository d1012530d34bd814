import type { AnswerOf } from "../../api/operations.ts";
import {
  CAP_BELOW_PRICE,
  type CampaignSummary,
  exhaustedPart,
  isCapBelowPrice,
  MILLICENTS_PER_CENT,
} from "./campaign-state.ts";
import { hasEnded } from "./flight.ts";

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
      if (!hasSpent || isFirstDayOfCap(campaign)) return undefined;
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

/**
 * Whether the spend is planned by a daily cap, for one day so far. That plan includes the whole day from its first minute
 * on, so "slower than planned" says nothing yet.
 */
function isFirstDayOfCap({
  budget_cents: budget,
  daily_cap_cents: cap,
  expected_spend_millicents: planned,
}: CampaignSummary): boolean {
  return cap !== null && cap < budget && planned === cap * MILLICENTS_PER_CENT;
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
