/**
 * Pattern of a game's id: not blank, no control characters (docs/behaviour.md#text-limits). Line separators are neither,
 * though `.` does not match them.
 */
export const GAME_ID = "^(?=\\P{Cc}*\\S)\\P{Cc}+$";
