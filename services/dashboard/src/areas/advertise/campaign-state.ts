import type { AnswerOf } from "../../api/operations.ts";
import type { Tone } from "../../kit/status.tsx";

export type CampaignSummary = AnswerOf<"GET /analytics/campaigns">["campaigns"][number];

export interface CampaignState {
  word: string;
  tone: Tone;
  cause: string | undefined;
}

/** Whether a campaign is shown to players now, and why not. */
export function campaignState(
  campaign: Pick<CampaignSummary, "status" | "creatives" | "pacing_status">,
): CampaignState {
  const { status, creatives, pacing_status: pacing } = campaign;
  if (status === "draft") {
    const cause = creatives === 0 ? "It needs a creative" : "Ready to be activated";
    return { word: "Draft", tone: "quiet", cause };
  }
  if (status === "paused") return { word: "Paused", tone: "quiet", cause: undefined };
  switch (pacing) {
    case "not_started":
      return { word: "Active, not serving", tone: "info", cause: "Its start date has not come" };
    case "exhausted":
      return { word: "Active, not serving", tone: "negative", cause: "Budget or balance is used up" };
    case "capped_today":
      return { word: "Active, not serving", tone: "warning", cause: "Daily cap reached until 00:00 UTC" };
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

const MILLICENTS_PER_CENT = 1_000;
const DAYS_OF_BALANCE = 3;

/** What keeps campaigns from doing their work, the most urgent first. */
export function needsAttention(
  campaigns: readonly CampaignSummary[],
  balanceCents: number,
  days: AnswerOf<"GET /analytics/daily">["days"],
): Attention[] {
  const found: Attention[] = [];
  const active = campaigns.filter(({ status }) => status === "active");
  const lastWeek = days.slice(1, 8).map(({ spent_millicents: spent }) => spent);
  const perDay = lastWeek.reduce((sum, spent) => sum + spent, 0) / Math.max(1, lastWeek.length);
  const balanceMillicents = balanceCents * MILLICENTS_PER_CENT;
  if (active.length > 0 && balanceCents === 0) {
    found.push({
      key: "balance",
      tone: "negative",
      what: "Nothing is served",
      cause: "The balance is used up.",
      fix: { to: "/money", label: "Deposit" },
    });
  } else if (active.length > 0 && perDay > 0 && balanceMillicents < perDay * DAYS_OF_BALANCE) {
    const left = Math.floor(balanceMillicents / perDay);
    found.push({
      key: "balance",
      tone: "warning",
      what: "The balance is low",
      cause: `It lasts ${left === 0 ? "less than a day" : left === 1 ? "about a day" : `about ${left} days`} at last week's spend.`,
      fix: { to: "/money", label: "Deposit" },
    });
  }
  for (const campaign of campaigns) {
    const { campaign_id: id, name, status, creatives, pacing_status: pacing } = campaign;
    const to = `/campaigns/${id}`;
    const isSpent = campaign.spent_millicents + 1 > campaign.budget_cents * MILLICENTS_PER_CENT;
    if (status === "draft" && creatives === 0) {
      found.push({
        key: id,
        tone: "warning",
        what: name,
        cause: "It has no creative, so it cannot be activated.",
        fix: { to: `${to}/creatives/new`, label: "Write a creative" },
      });
    } else if (status === "active" && pacing === "exhausted" && (isSpent || balanceCents > 0)) {
      found.push({
        key: id,
        tone: "negative",
        what: name,
        cause: "Its budget is spent, so it is no longer served.",
        fix: { to: `${to}/settings`, label: "Raise the budget" },
      });
    } else if (status === "active" && pacing === "under_pacing") {
      found.push({
        key: id,
        tone: "warning",
        what: name,
        cause: "It spends slower than its dates or its daily cap ask for.",
        fix: { to: `${to}/explain`, label: "See why", isForViewers: true },
      });
    } else if (status === "active" && pacing === "capped_today") {
      found.push({
        key: id,
        tone: "warning",
        what: name,
        cause: "It has reached today's cap and is served again at 00:00 UTC.",
        fix: { to: `${to}/settings`, label: "Raise the cap" },
      });
    }
  }
  return found.sort((one, other) => Number(other.tone === "negative") - Number(one.tone === "negative"));
}
