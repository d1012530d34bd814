import { useOutletContext } from "react-router";
import type { AnswerOf } from "../../api/operations.ts";

export type Campaign = AnswerOf<"GET /campaigns/{campaign_id}">;
export type Creative = AnswerOf<"GET /campaigns/{campaign_id}/creatives">[number];

/** The campaign of the tab's page. */
export function useCampaign(): Campaign {
  return useOutletContext<Campaign>();
}

export function pathOf({ id }: Campaign): { path: { campaign_id: string } } {
  return { path: { campaign_id: id } };
}

/** The fields that an advertiser sets. */
export function settingsOf(campaign: Campaign) {
  const { id, status, spent_cents, spent_millicents, created_at, ...settings } = campaign;
  return settings;
}
