import { noGame, otherAccountsGame, type SnapshotPlacement } from "@diegetic/contracts";
import type { Catalog } from "./catalog.ts";

/** The placement of a game of the caller, active or not. Throws 404 and 403 (docs/behaviour.md#who-may-serve-a-game). */
export function placementOfCaller(catalog: Catalog, gameId: string, accountId: string): SnapshotPlacement {
  const placement = catalog.placement(gameId);
  if (placement === undefined) {
    throw noGame.error();
  }
  if (placement.account_id !== accountId) throw otherAccountsGame.error();
  return placement;
}
