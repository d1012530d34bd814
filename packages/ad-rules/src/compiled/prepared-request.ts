import { type PreparedContext, prepareContext } from "../context/prepared-context.ts";
import { type PlayerPlace, preparePlayerPlace } from "../rules/geo.ts";
import { type PreparedPlacement, preparePlacement } from "../rules/placement.ts";
import type { CreativeType } from "../types/campaign.ts";
import type { GameContext, Placement, PlayerGeo } from "../types/request.ts";

/** A match request with its texts normalised once, for all campaigns. */
export interface PreparedRequest {
  gameId: string;
  placementTypes: readonly CreativeType[];
  placement: PreparedPlacement;
  context: PreparedContext;
  player: PlayerPlace;
  nowMs: number;
}

/** @param request `nowMs` is in Unix milliseconds; without `geo` the player's place is unknown */
export function prepareRequest(request: {
  placement: Placement;
  context: GameContext;
  geo?: PlayerGeo | null;
  nowMs: number;
}): PreparedRequest {
  return {
    gameId: request.placement.game_id,
    placementTypes: request.placement.placement_types,
    placement: preparePlacement(request.placement),
    context: prepareContext(request.context),
    player: preparePlayerPlace(request.geo),
    nowMs: request.nowMs,
  };
}
