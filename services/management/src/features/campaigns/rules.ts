import { parseDate } from "@diegetic/ad-rules";
import { type CampaignCreate, type CampaignPatch, InvalidInput, PRIORITY } from "@diegetic/contracts";
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
  throw new InvalidInput(422, `end_date must not be before start_date: ${endDate} is before ${startDate}`);
}

/** Throws InvalidInput (422), naming the spent amount, when a budget would not cover it. */
export function checkBudgetCoversSpent(budgetCents: number, spentMillicents: Millicents): void {
  if (centsToMillicents(budgetCents) >= spentMillicents) return;
  throw new InvalidInput(
    422,
    `budget_cents must not be below what the campaign has spent: spent_cents is ${centsUp(spentMillicents)}, but ${budgetCents} was sent`,
  );
}

/**
 * Why a campaign may not be activated, as a sentence that says what to do; undefined: it may. An exhausted budget is
 * allowed: the campaign becomes active and does not serve (docs/behaviour.md#activation).
 */
export function activationRefusal(
  campaign: Pick<Campaign, "status" | "cpmBidCents">,
  creatives: number,
  balanceMillicents: Millicents,
): string | undefined {
  if (campaign.status === "active")
    return "The campaign is active already and need not be activated again: POST /campaigns/{campaign_id}/pause pauses it.";
  if (creatives === 0) {
    return "The campaign has no creative: create one by POST /campaigns/{campaign_id}/creatives first.";
  }
  if (balanceMillicents < priceMillicents(campaign.cpmBidCents)) {
    return `The balance (balance_cents is ${centsDown(balanceMillicents)}) does not cover one impression at cpm_bid_cents ${campaign.cpmBidCents}: deposit more by POST /deposit.`;
  }
  return undefined;
}

/** Why a campaign may not be paused; undefined: it may. */
export function pauseRefusal({ status }: Pick<Campaign, "status">): string | undefined {
  if (status === "active") return undefined;
  return status === "paused"
    ? "The campaign is paused already: POST /campaigns/{campaign_id}/activate lets it serve again."
    : "The campaign is a draft, which is not served: only an active one can be paused, and POST /campaigns/{campaign_id}/activate activates it.";
}
