import type { Tone } from "../../kit/status.tsx";
import type { GameTraffic, Stage } from "./placement.ts";

export interface Step {
  label: string;
  isDone: boolean;
  /** When it last happened; null where nothing remembers. */
  at: string | null;
  sentence: string;
}

const ORDER: readonly Stage[] = ["waiting", "requested", "matched", "shown", "billed"];

/** The way of a game from its first call to money, each step with when it last happened. */
export function stepsOf(traffic: GameTraffic): Step[] {
  const reached = ORDER.indexOf(traffic.stage);
  return [
    {
      label: "Asks for ads",
      isDone: reached >= 1,
      at: traffic.last_request_at,
      sentence: "The game calls POST /match while it makes a scene.",
    },
    {
      label: "Gets a match",
      isDone: reached >= 2,
      at: traffic.last_match_at,
      sentence: "A campaign fits the scene, and its price is held.",
    },
    {
      label: "Shows it",
      isDone: reached >= 3,
      at: traffic.last_impression_at,
      sentence: "The game calls POST /impressions once the player has seen the line.",
    },
    {
      label: "Is billed",
      isDone: reached >= 4,
      at: reached >= 4 ? traffic.last_impression_at : null,
      sentence: "The advertiser has paid, and the game has earned its share.",
    },
  ];
}

export const STAGE_WORDS: Readonly<Record<Stage, { tone: Tone; word: string; next: string }>> = {
  waiting: { tone: "quiet", word: "Waiting for a first call", next: "Copy a snippet and run it." },
  requested: {
    tone: "warning",
    word: "Asks, no match yet",
    next: "“Why no ad?” on the page of the game says what helps. Try scenes in the match tester.",
  },
  matched: {
    tone: "info",
    word: "Matched, not shown yet",
    next: "Record an impression once a player has seen the line.",
  },
  shown: { tone: "info", word: "Shown, being billed", next: "The impression is written within seconds." },
  billed: { tone: "positive", word: "Working", next: "Calls, matches and money arrive." },
};
