import { pacingOf } from "@diegetic/ad-rules";
import {
  ACCOUNT_DAYS,
  type AccountDailyBody,
  CAMPAIGN_SERIES_DAYS,
  type CampaignSeriesListBody,
  integerParameter,
} from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import type { RequestContext } from "@diegetic/service-kit";
import { callingAdvertiser, readAfter } from "../../core/read-your-writes/caller.ts";
import { nextPage, readPaging } from "../../core/shared/paging.ts";
import { lastDays } from "../../core/shared/time.ts";
import type { Parts } from "../parts.ts";
import {
  type CampaignWithDays,
  readAccountSpending,
  readCampaignsWithDays,
  type Spent,
} from "./account-store.ts";

const MAX_CAMPAIGNS = 500;
const NOTHING: Spent = { impressions: 0, spentMillicents: 0 };

/** Totals over all campaigns of an account. */
export async function accountDaily(parts: Parts, context: RequestContext) {
  const nowMs = parts.clock();
  const days = await requestedDays(parts, context, ACCOUNT_DAYS, nowMs);
  const today = utcDay(nowMs);
  const month = `${today.slice(0, 7)}-01`;
  const oldest = days.at(-1) ?? today;
  const since = oldest < month ? oldest : month;
  const spending = await readAccountSpending(parts.reads, context.accountId, since);
  const ofMonth = [...spending.days].filter(([day]) => day >= month).map(([, spent]) => spent);
  const body: AccountDailyBody = {
    days: days.map((date) => ({ date, ...toSpentResponse(spending.days.get(date) ?? NOTHING) })),
    today: toSpentResponse(spending.days.get(today) ?? NOTHING),
    month_to_date: toSpentResponse(ofMonth.reduce(add, NOTHING)),
    total: toSpentResponse(spending),
  };
  return { status: 200, body };
}

/** Recent days of each campaign. */
export async function accountCampaigns(parts: Parts, context: RequestContext) {
  const nowMs = parts.clock();
  const dates = (await requestedDays(parts, context, CAMPAIGN_SERIES_DAYS, nowMs)).reverse();
  const { limit = MAX_CAMPAIGNS, after } = await readAfter(
    () => callingAdvertiser(parts.database, context.accountId),
    () => readPaging(context, "camp"),
  );
  const today = utcDay(nowMs);
  const since = dates[0] ?? today;
  const rows = await readCampaignsWithDays(
    parts.reads,
    context.accountId,
    { since, today },
    { after, limit: limit + 1 },
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const body: CampaignSeriesListBody = {
    dates,
    campaigns: page.map((campaign) => toCampaignResponse(campaign, dates, nowMs)),
  };
  const hasMore = rows.length > limit && last !== undefined;
  return { status: 200, body, headers: hasMore ? nextPage(context, String(limit), last.id) : {} };
}

/** UTC days back from today. Checks registration first. */
function requestedDays(
  { database }: Parts,
  context: RequestContext,
  limits: { minimum: number; maximum: number; default: number },
  nowMs: number,
): Promise<string[]> {
  return readAfter(
    () => callingAdvertiser(database, context.accountId),
    () => lastDays(nowMs, integerParameter("days", context.query, limits) ?? limits.default),
  );
}

function toCampaignResponse(campaign: CampaignWithDays, dates: readonly string[], nowMs: number) {
  const pacing = pacingOf(campaign.pacing, nowMs);
  const days = dates.map((date) => campaign.days.get(date) ?? NOTHING);
  return {
    campaign_id: campaign.id,
    name: campaign.name,
    status: campaign.status,
    budget_cents: campaign.budgetCents,
    cpm_bid_cents: campaign.cpmBidCents,
    daily_cap_cents: campaign.dailyCapCents,
    end_date: campaign.pacing.endDate,
    spent_millicents: campaign.pacing.spentMillicents,
    expected_spend_millicents: pacing.expectedMillicents,
    impressions: campaign.impressions,
    creatives: campaign.creatives,
    pacing_status: pacing.status,
    projected_exhaustion_date: pacing.projectedExhaustionDay,
    daily_spent_millicents: days.map(({ spentMillicents }) => spentMillicents),
    daily_impressions: days.map(({ impressions }) => impressions),
  };
}

function toSpentResponse({ impressions, spentMillicents }: Spent) {
  return { impressions, spent_millicents: spentMillicents };
}

function add(left: Spent, right: Spent): Spent {
  return {
    impressions: left.impressions + right.impressions,
    spentMillicents: left.spentMillicents + right.spentMillicents,
  };
}
