import { compileSchedule, type Schedule } from "@diegetic/ad-rules/schedule";
import type { BodyOf } from "../../api/operations.ts";
import {
  centsOfMillicents,
  formatCount,
  formatDayWithYear,
  formatExactCents,
  formatNoun,
  impressionCents,
} from "../../format/format.ts";
import { isCapBelowPrice } from "./campaign-state.ts";
import { balanceSentence } from "./spend-outlook.ts";
import type { Campaign } from "./use-campaign.ts";

type Changes = Partial<BodyOf<"PATCH /campaigns/{campaign_id}">>;

interface Now {
  nowMs: number;
  todaySpentCents: number;
  /** Held for matches that nobody has seen yet; undefined while unknown. */
  heldCents: number | undefined;
}

/** What the changes do, before they are saved. */
export function consequences(
  campaign: Omit<Campaign, "id" | "name" | "spent_cents" | "daily_cap_cents" | "priority" | "created_at">,
  values: Changes,
  { nowMs, todaySpentCents, heldCents }: Now,
): string[] {
  const { budget_cents: budget, cpm_bid_cents: bid, daily_cap_cents: cap } = values;
  const price = impressionCents(bid ?? campaign.cpm_bid_cents);
  const found: string[] = [];
  if (typeof budget === "number" && budget < campaign.budget_cents) {
    const left = budget - centsOfMillicents(campaign.spent_millicents);
    found.push(heldSentence(left, heldCents));
    if (left < price) found.push("With this budget the campaign is no longer served.");
  }
  if (typeof bid === "number" && bid !== campaign.cpm_bid_cents) {
    found.push("A new bid counts from the next match; ads that are already matched cost the former one.");
  }
  const capSentence = capBelowPrice({ cpm_bid_cents: bid ?? campaign.cpm_bid_cents, daily_cap_cents: cap });
  if (capSentence !== undefined) {
    found.push(capSentence);
  } else if (typeof cap === "number" && cap > 0 && cap <= todaySpentCents) {
    found.push("Today has cost as much as this cap: the campaign is served again at 00:00 UTC.");
  }
  found.push(...flightSentences(campaign, values, nowMs), ...filterSentences(campaign, values));
  if (found.length === 0) found.push("Takes effect with the next match.");
  return found;
}

interface CapAndBid {
  daily_cap_cents?: number | null | undefined;
  cpm_bid_cents?: number | null | undefined;
}

/** What a daily cap that pays for no impression does; undefined: it pays for one, or there is none. */
export function capBelowPrice({ daily_cap_cents: cap, cpm_bid_cents: bid }: CapAndBid): string | undefined {
  if (!cap || !bid || !isCapBelowPrice({ daily_cap_cents: cap, cpm_bid_cents: bid })) return undefined;
  const price = formatExactCents(impressionCents(bid));
  return `The daily cap is below the price of one impression, ${price}: the campaign is not served.`;
}

/** As `capBelowPrice`, for those of several campaigns of which it is true. */
export function capsBelowPrice(campaigns: readonly CapAndBid[]): string | undefined {
  const count = campaigns.filter((campaign) => capBelowPrice(campaign) !== undefined).length;
  if (count === 0) return undefined;
  const [has, are] = count === 1 ? ["has", "it is"] : ["have", "they are"];
  return `${formatNoun(count, "campaign")} ${has} a daily cap below the price of one impression: ${are} not served.`;
}

type Flight = Pick<Campaign, "status" | "start_date" | "end_date">;

/** What other dates do; nothing where they contradict each other, which the API refuses. */
function flightSentences(campaign: Flight, values: Changes, nowMs: number): string[] {
  const { start_date = campaign.start_date, end_date = campaign.end_date } = values;
  const before = compileSchedule(campaign);
  const after = compileSchedule({ start_date, end_date });
  if (before === null || after === null || after.startsAtMs >= after.endsBeforeMs) return [];
  const { startsAtMs, endsBeforeMs } = after;
  const isActive = campaign.status === "active";
  const served = isActive ? "It is served" : "Once active, it is served";
  const hadEnded = before.endsBeforeMs <= nowMs;
  const isEndChanged = endsBeforeMs !== before.endsBeforeMs;
  if (endsBeforeMs <= nowMs) {
    if (!isEndChanged) return [];
    const no = isActive && !hadEnded ? "It is no longer served" : "It is not served";
    return [`${no}: its last day has passed.`];
  }
  const found: string[] = [];
  if (startsAtMs !== before.startsAtMs) {
    if (startsAtMs > nowMs) {
      const stops = isActive && isWithin(before, nowMs) ? "Serving stops until" : `${served} from`;
      found.push(`${stops} ${dayOf(startsAtMs)} (UTC).`);
    } else if (before.startsAtMs > nowMs) {
      found.push(isActive ? "Serving starts with the next match." : "Once active, it is served at once.");
    }
  }
  if (isEndChanged) {
    const end =
      endsBeforeMs === Number.POSITIVE_INFINITY
        ? "until the budget is spent"
        : `until ${dayOf(endsBeforeMs - 1)} (UTC)`;
    found.push(`${served}${isActive && hadEnded ? " again" : ""} ${end}.`);
  }
  return found;
}

function isWithin({ startsAtMs, endsBeforeMs }: NonNullable<Schedule>, nowMs: number): boolean {
  return startsAtMs <= nowMs && nowMs < endsBeforeMs;
}

function dayOf(ms: number): string {
  return formatDayWithYear(new Date(ms).toISOString());
}

type Filters = Pick<Campaign, "target_categories" | "target_tags">;

/** What other categories and tags do. */
function filterSentences(campaign: Filters, values: Changes): string[] {
  const { target_categories: categories, target_tags: tags } = values;
  const found: string[] = [];
  if (categories !== undefined && isOther(categories, campaign.target_categories)) {
    found.push(
      categories?.length
        ? "Only scenes of these categories are matched from now on."
        : "Scenes of every category are matched from now on.",
    );
  }
  if (tags !== undefined && isOther(tags, campaign.target_tags)) {
    found.push(
      tags?.length
        ? "Only scenes with one of these tags are matched from now on."
        : "Scenes are matched with and without tags from now on.",
    );
  }
  return found;
}

function isOther(values: readonly string[] | null, former: readonly string[]): boolean {
  return [...(values ?? [])].sort().join("\n") !== [...former].sort().join("\n");
}

/** What a lower budget does to ads that are matched and not yet seen. */
function heldSentence(leftCents: number, heldCents: number | undefined): string {
  const left = Math.max(0, leftCents);
  if (heldCents === undefined) {
    return "A lower budget: ads that are matched but not yet seen are refused where they no longer fit.";
  }
  if (heldCents === 0) return NOTHING_HELD;
  const held = `${formatExactCents(heldCents)} is held for ads that are matched but not yet seen`;
  if (heldCents <= left) return `${held}, and still fits into the lower budget.`;
  return `${held}. ${formatExactCents(heldCents - left)} of it no longer fits: those impressions are refused.`;
}

/** What campaigns may spend once they are active: the rest of their budgets, as far as the balance pays for it. */
export function spendOnceActive(
  campaigns: readonly Pick<Campaign, "budget_cents" | "spent_millicents">[],
  balanceCents: number | undefined,
): string {
  const left = campaigns.map(({ budget_cents: budget, spent_millicents: spent }) =>
    Math.max(0, budget - centsOfMillicents(spent)),
  );
  const totalCents = left.reduce((sum, cents) => sum + cents, 0);
  const total = formatExactCents(totalCents);
  const sentence =
    campaigns.length === 1
      ? `It may spend ${total}, the rest of its budget.`
      : `Together they may spend ${total}, the rest of their budgets.`;
  return [sentence, balanceSentence(totalCents, 0, balanceCents)].filter(Boolean).join(" ");
}

const NOTHING_HELD = "No money is held for matched ads that may still be seen.";
const UNKNOWN_HELD = "Ads that were already matched may still be seen and billed.";

/** What a paused campaign may still be billed. */
export function heldByCampaign(held: { cents: number; ads: number } | undefined): string {
  if (held === undefined) return UNKNOWN_HELD;
  if (held.cents === 0) return NOTHING_HELD;
  const { cents, ads } = held;
  const were = ads === 1 ? "ad that was" : "ads that were";
  return `${formatCount(ads)} ${were} already matched may still be seen and billed, for at most ${formatExactCents(cents)}, which is held for ${ads === 1 ? "it" : "them"}.`;
}

/** What several paused campaigns may still be billed: the account's holds are the maximum. */
export function heldByAccount(heldCents: number | undefined): string {
  if (heldCents === undefined) return UNKNOWN_HELD;
  if (heldCents === 0) return NOTHING_HELD;
  return `Ads that were already matched may still be seen and billed: at most ${formatExactCents(heldCents)}, which is held for all campaigns of the account.`;
}
