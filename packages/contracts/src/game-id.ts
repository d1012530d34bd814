/** Pattern of a game's id: not blank, no control characters (docs/behaviour.md#text-limits). */
export const GAME_ID = "^(?=.*\\S)\\P{Cc}+$";
