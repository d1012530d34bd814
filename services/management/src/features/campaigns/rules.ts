import { parseDate } from "@diegetic/ad-rules";
import {
  alreadyActive,
  balanceTooLow,
  budgetBelowSpent,
  type CampaignCreate,
  endBeforeStart,
  notActive,
  withoutCreative,
} from "@diegetic/contracts";
import { centsDown, centsToMillicents, centsUp, type Millicents, priceMillicents } from "@diegetic/money";
import { type Campaign, type CampaignSettings, settingsOfNew } from "../../core/campaign-rows/campaign.ts";

/** The settings of a new campaign, with defaults. Throws InvalidInput for dates in the wrong order. */
export function settingsOfNewCampaign(request: CampaignCreate): CampaignSettings {
  const settings = settingsOfNew(request);
  requireDatesInOrder(settings);
  return settings;
}

/** Throws InvalidInput (422) when the flight would end before it starts; a date covers its whole day. */
export function requireDatesInOrder({
  startDate,
  endDate,
}: Pick<CampaignSettings, "startDate" | "endDate">): void {
  if (startDate === null || endDate === null) return;
  const start = parseDate(startDate);
  const end = parseDate(endDate);
  if (start === undefined || end === undefined || start.firstMs <= end.lastMs) return;
  throw endBeforeStart.error(endDate, startDate);
}

/** Throws InvalidInput (422), naming the spent amount, when a budget would not cover it. */
export function requireBudgetCoversSpent(budgetCents: number, spentMillicents: Millicents): void {
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
