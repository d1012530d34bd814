import type { CreativeType } from "./campaign.ts";

/** The fields of a placement that the rules need. */
export interface Placement {
  game_id: string;
  is_active: boolean;
  placement_types: CreativeType[];
  blocked_advertisers: string[];
  blocked_categories: string[];
}

/** `game_context` of a match request. Absent, null and blank mean the same. */
export interface GameContext {
  theme_id?: string | null;
  category?: string | null;
  narrative?: string | null;
  mood_tags?: string[] | null;
  location?: string | null;
  actions?: string[] | null;
}

/** `player_geo` of a match request. Absent, null and blank mean the same: unknown. */
export interface PlayerGeo {
  country_code?: string | null;
  state_code?: string | null;
  city_name?: string | null;
  lat?: number | null;
  lng?: number | null;
}

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
