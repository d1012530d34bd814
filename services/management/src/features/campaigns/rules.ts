import { parseDate } from "@diegetic/ad-rules";
import {
  alreadyActive,
  balanceTooLow,
  budgetBelowSpent,
  type CampaignCreate,
  type CampaignPatch,
  endBeforeStart,
  notActive,
  PRIORITY,
  withoutCreative,
} from "@diegetic/contracts";
import { centsDown, centsToMillicents, centsUp, type Millicents, priceMillicents } from "@diegetic/money";
import type { Campaign, CampaignSettings } from "../../core/campaign-rows/campaign.ts";

/** The settings of a new campaign, with defaults. Throws InvalidInput for dates in the wrong order. */
export function newSettings(request: CampaignCreate): CampaignSettings {
  const settings: CampaignSettings = {
    name: request.name,
    budgetCents: request.budget_cents,
    cpmBidCents: request.cpm_bid_cents,
    dailyCapCents: request.daily_cap_cents ?? null,
    startDate: request.start_date ?? null,
    endDate: request.end_date ?? null,
    priority: request.priority ?? PRIORITY.default,
    targetCategories: request.target_categories ?? [],
    targetTags: request.target_tags ?? [],
  };
  checkDates(settings);
  return settings;
}

/** The settings in a PATCH; null clears, or restores the default (docs/behaviour.md#absent-values). */
export function changedSettings(patch: CampaignPatch): Partial<CampaignSettings> {
  const changed: Partial<CampaignSettings> = {};
  if (patch.name !== undefined) changed.name = patch.name;
  if (patch.budget_cents !== undefined) changed.budgetCents = patch.budget_cents;
  if (patch.cpm_bid_cents !== undefined) changed.cpmBidCents = patch.cpm_bid_cents;
  if (patch.daily_cap_cents !== undefined) changed.dailyCapCents = patch.daily_cap_cents;
  if (patch.start_date !== undefined) changed.startDate = patch.start_date;
  if (patch.end_date !== undefined) changed.endDate = patch.end_date;
  if (patch.priority !== undefined) changed.priority = patch.priority ?? PRIORITY.default;
  if (patch.target_categories !== undefined) changed.targetCategories = patch.target_categories ?? [];
  if (patch.target_tags !== undefined) changed.targetTags = patch.target_tags ?? [];
  return changed;
}

/** Throws InvalidInput (422) when the flight would end before it starts; a date covers its whole day. */
export function checkDates({ startDate, endDate }: Pick<CampaignSettings, "startDate" | "endDate">): void {
  if (startDate === null || endDate === null) return;
  const start = parseDate(startDate);
  const end = parseDate(endDate);
  if (start === undefined || end === undefined || start.firstMs <= end.lastMs) return;
  throw endBeforeStart.error(endDate, startDate);
}

/** Throws InvalidInput (422), naming the spent amount, when a budget would not cover it. */
export function checkBudgetCoversSpent(budgetCents: number, spentMillicents: Millicents): void {
  if (centsToMillicents(budgetCents) >= spentMillicents) return;
  throw budgetBelowSpent.error(centsUp(spentMillicents), budgetCents);
}

/**
 * Throws 409 when a campaign may not be activated. An exhausted budget is allowed: the campaign becomes active and does not
 * serve (docs/behaviour.md#activation).
 */
export function requireActivatable(
  { status, cpmBidCents }: Pick<Campaign, "status" | "cpmBidCents">,
  creatives: number,
  balanceMillicents: Millicents,
): void {
  if (status === "active") throw alreadyActive.error();
  if (creatives === 0) throw withoutCreative.error();
  if (balanceMillicents < priceMillicents(cpmBidCents)) {
    throw balanceTooLow.error(centsDown(balanceMillicents), cpmBidCents);
  }
}

/** Throws 409 unless the campaign is active. */
export function requirePausable({ status }: Pick<Campaign, "status">): void {
  if (status !== "active") throw notActive.error(status);
}
