import type { GameContext, NoMatchReason, PlayerGeo, SnapshotPlacement } from "@diegetic/contracts";

/** In both, absent, null and blank mean the same: unknown. */
export type { GameContext, PlayerGeo };

/** The fields of a placement that the rules need. */
export type Placement = Pick<
  SnapshotPlacement,
  "game_id" | "is_active" | "placement_types" | "blocked_advertisers" | "blocked_categories"
>;

/**
 * The game, the scene and the player of a match request. No field is optional, so that a caller that forgets one does not
 * compile.
 */
export interface MatchScene {
  placement: Placement;
  context: GameContext;
  /** Undefined or null: the player's place is unknown. */
  geo: PlayerGeo | null | undefined;
  /** Unix milliseconds. */
  nowMs: number;
}

/** Those that need no player session (docs/behaviour.md#reasons-for-no-match). */
export type ReasonForNone = Exclude<NoMatchReason, "session_cap">;
