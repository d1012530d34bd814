/** Bounds of the traffic statistics in Redis. */
export const TRAFFIC_LIMITS = {
  /** Games per account with statistics: the first ones, until they were not called for `daysKeptMs`. */
  maxGames: 500,
  /** Distinct words kept per game and month; the rarest are dropped. */
  maxWords: 300,
  /** Scenes without an ad kept per game. */
  maxScenes: 50,
  /** How long hours and scenes are kept. */
  hoursKeptMs: 7 * 24 * 60 * 60 * 1_000,
  /** How long days, words and last calls are kept after the last call. */
  daysKeptMs: 62 * 24 * 60 * 60 * 1_000,
} as const;

/** Scene fields that have words: those that a campaign can target. */
export const WORD_TYPES = ["theme", "category", "mood", "location", "action"] as const;
export type WordType = (typeof WORD_TYPES)[number];

export type ServingOperation = "match" | "impressions";

/** Names of the counters. Refusals are `match_400`, reasons `none:budget`. */
export const COUNTED = {
  match: "match",
  impression: "impression",
  noMatch: (reason: string) => `none:${reason}`,
  refusal: (operation: ServingOperation, status: number) => `${operation}_${status}`,
};
