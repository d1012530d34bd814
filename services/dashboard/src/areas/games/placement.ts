import type { AnswerOf } from "../../api/operations.ts";
import { numberLimits } from "../../api/use-field-problems.ts";
import { CREATIVE_TYPES } from "../../scene/creative-types.ts";

export type Placement = AnswerOf<"GET /placements/{game_id}">;
export type GameTraffic = AnswerOf<"GET /traffic">["games"][number];
export type Stage = GameTraffic["stage"];

/** How often pages ask for traffic anew: well below the rate limit. */
export const TRAFFIC_REFETCH_MS = 6_000;

/** A game that has just been added: takes all ads, until its page says otherwise. */
export const NEW_GAME = {
  creator_id: "studio",
  placement_types: CREATIVE_TYPES.map(({ value }) => value),
};

export const SHARE_PCT = numberLimits("POST /placements/{game_id}", "revenue_share_pct");
export const ADS_PER_SESSION = numberLimits("POST /placements/{game_id}", "max_ads_per_session");
