import { useOutletContext } from "react-router";
import type { AnswerOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { FIGURES_REFETCH_MS } from "../../api/refetch-times.ts";
import { sumOf } from "../../format/change.ts";
import { centsOfMillicents } from "../../format/format.ts";

export type Campaign = AnswerOf<"GET /campaigns/{campaign_id}">;
export type Creative = AnswerOf<"GET /campaigns/{campaign_id}/creatives">[number];
export type GeoTarget = AnswerOf<"GET /campaigns/{campaign_id}/geo-targets">[number];
export type BlocklistRule = AnswerOf<"GET /campaigns/{campaign_id}/blocklist">[number];
export type Affinity = AnswerOf<"GET /campaigns/{campaign_id}/affinities">[number];
export type Pacing = AnswerOf<"GET /campaigns/{campaign_id}/analytics/pacing">;

/** The campaign of the tab's page. */
export function useCampaign(): Campaign {
  return useOutletContext<Campaign>();
}

export function pathOf({ id }: Campaign): { path: { campaign_id: string } } {
  return { path: { campaign_id: id } };
}

/** Of everything that an impression changes on the page of a campaign, so that its figures agree. */
export const MOVING = { refetchEveryMs: FIGURES_REFETCH_MS };

/** What is held for the campaign's matches that nobody has seen yet, exactly. */
export function useHeldCents(campaign: Campaign): number | undefined {
  const games = useRead("GET /campaigns/{campaign_id}/analytics/games", pathOf(campaign), MOVING);
  return games.data && heldCentsOf(games.data);
}

const heldIn = sumOf(({ held_millicents: held }: { held_millicents: number }) => held);

export function heldCentsOf({ games }: AnswerOf<"GET /campaigns/{campaign_id}/analytics/games">): number {
  return centsOfMillicents(heldIn(games));
}

/** The spend of some days or rows, in millicents. */
export const spentIn = sumOf(({ spent_millicents: spent }: { spent_millicents: number }) => spent);
