import type { AnswerOf } from "../../api/operations.ts";

export type MarketWord = AnswerOf<"GET /market/words">[number];

/** The most that a field suggests at once; typing narrows the list. */
export const MAX_SUGGESTIONS = 50;

/** What games really send, each word once: of one type, or of all. None while they are not read. */
export function sentWords(words: readonly MarketWord[] = [], type?: string): string[] {
  const wanted = words.filter((word) => type === undefined || word.type === type);
  return [...new Set(wanted.map(({ value }) => value))];
}
