/** What bounds the statistics of traffic in Redis. */
export const TRAFFIC_LIMITS = {
  /** Different words kept of a game and month; the rarest are dropped. */
  maxWords: 300,
  /** Scenes without an ad kept of a game. */
  maxScenes: 50,
  /** How long hours and scenes are kept. Milliseconds. */
  hoursKeptMs: 7 * 24 * 60 * 60 * 1_000,
  /** How long days, words and last calls are kept after the last of them. Milliseconds. */
  daysKeptMs: 62 * 24 * 60 * 60 * 1_000,
} as const;

/** What of a scene is a word: the fields in which a campaign can look for a value. */
export const WORD_TYPES = ["theme", "category", "mood", "location", "action"] as const;
export type WordType = (typeof WORD_TYPES)[number];

export type ServingOperation = "match" | "impressions";

/** Names under which calls are counted. Refusals are `match_400`, reasons `none:budget`. */
export const COUNTED = {
  match: "match",
  impression: "impression",
  noMatch: (reason: string) => `none:${reason}`,
  refusal: (operation: ServingOperation, status: number) => `${operation}_${status}`,
};
