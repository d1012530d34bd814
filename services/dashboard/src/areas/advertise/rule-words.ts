import type { AnswerOf } from "../../api/operations.ts";
import { formatTerm } from "../../format/format.ts";

type Rule = AnswerOf<"POST /campaigns/{campaign_id}/explain">["checks"][number]["rule"];

/** Rules whose names alone do not say whose they are. */
const WORDS: Readonly<Partial<Record<Rule, string>>> = {
  placement_active: "The game takes ads",
  blocked_advertisers: "Advertisers that the game blocks",
  blocked_categories: "Categories that the game blocks",
  placement_types: "Types of creative that the game takes",
  geo_excludes: "Places that the campaign excludes",
  geo_includes: "Places that the campaign includes",
  blocked_keywords: "Keywords that the campaign blocks",
  blocked_themes: "Themes that the campaign blocks",
  blocked_context_categories: "Categories that the campaign blocks",
  blocked_actions: "Actions that the campaign blocks",
  blocked_games: "Games that the campaign blocks",
  max_ads_per_session: "Ads of one player session",
  max_uses_per_game: "Uses of a creative in one player session",
};

/** What a check of an explanation is called. */
export function ruleWords(rule: Rule): string {
  return WORDS[rule] ?? formatTerm(rule);
}
