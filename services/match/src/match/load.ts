import { type MatchRequest, matchRequest, type SnapshotPlacement } from "@diegetic/contracts";
import { identifyPlayer, sessionIdleMs } from "@diegetic/hot-state";
import type { RequestContext } from "@diegetic/service-kit";
import { placementOfCaller } from "../catalog/placement-of-caller.ts";
import type { MatchDependencies } from "./dependencies.ts";

/** A match request with the entities that it refers to. */
export interface LoadedRequest {
  body: MatchRequest;
  placement: SnapshotPlacement;
  userHash: string;
  session: { gameId: string; sessionKey: string };
  /** The player session ends after this time without a match request. */
  sessionIdleMs: number;
  /** End of the lease under which the key was looked up. */
  leaseExpiresMs: number;
}

/** Throws 400 and 422 for the body, 404 and 403 for the game. */
export function loadMatchRequest(dependencies: MatchDependencies, context: RequestContext): LoadedRequest {
  const leaseExpiresMs = dependencies.leaseExpiresMs();
  const body = context.body(matchRequest);
  const placement = placementOfCaller(dependencies.catalog, body.game_id, context.accountId);
  const player = identifyPlayer(
    dependencies.playerHashKey,
    placement.account_id,
    body.user_id,
    body.session_id,
  );
  return {
    body,
    placement,
    userHash: player.userHash,
    session: { gameId: body.game_id, sessionKey: player.sessionKey },
    sessionIdleMs: sessionIdleMs(dependencies.settings, body.session_id),
    leaseExpiresMs,
  };
}

/** The placement may have changed while the request waited; the owner of a game never changes. */
export function withCurrentPlacement(dependencies: MatchDependencies, request: LoadedRequest): LoadedRequest {
  const placement = dependencies.catalog.placement(request.body.game_id) ?? request.placement;
  return placement === request.placement ? request : { ...request, placement };
}
