import type { SnapshotPlacement } from "@diegetic/contracts";
import { forbidden, notFound } from "@diegetic/service-kit";
import type { Catalog } from "./catalog.ts";

/** The placement of a game of the caller, active or not. Throws 404 and 403 (docs/behaviour.md#who-may-serve-a-game). */
export function placementOfCaller(catalog: Catalog, gameId: string, accountId: string): SnapshotPlacement {
  const placement = catalog.placement(gameId);
  if (placement === undefined) {
    throw notFound(
      "game_id names no registered game: enable placements for it by POST /placements/{game_id} first",
    );
  }
  if (placement.account_id !== accountId)
    throw forbidden("game_id names a game of another account: use a key of that account");
  return placement;
}
