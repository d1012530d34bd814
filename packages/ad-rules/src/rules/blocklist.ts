import type { PreparedContext } from "../context/prepared-context.ts";
import { comparableSet, overlap } from "../text/equality.ts";
import { occurs, type Phrase, phrase, searchable } from "../text/words.ts";
import type { BlocklistRule, BlocklistRuleType } from "../types/campaign.ts";
import type { GameContext } from "../types/request.ts";
import { defineRule, type Verdict } from "./rule.ts";
import { listed, quoted } from "./wording.ts";

/** A campaign's blocklist by rule type. */
export interface Blocklist {
  keywords: readonly Phrase[];
  themes: ReadonlySet<string>;
  categories: ReadonlySet<string>;
  actions: ReadonlySet<string>;
  gameIds: ReadonlySet<string>;
}

const blocksNothing = compileBlocklistOf([]);

/** Normalises the values once, for all requests. */
export function compileBlocklist(rules: readonly BlocklistRule[]): Blocklist {
  return rules.length === 0 ? blocksNothing : compileBlocklistOf(rules);
}

function compileBlocklistOf(rules: readonly BlocklistRule[]): Blocklist {
  const valuesOf = (type: BlocklistRuleType) =>
    rules.filter((rule) => rule.rule_type === type).map((rule) => rule.value);
  return {
    keywords: valuesOf("keyword")
      .map(phrase)
      .filter((keyword) => keyword !== null),
    themes: comparableSet(valuesOf("theme")),
    categories: comparableSet(valuesOf("category")),
    actions: comparableSet(valuesOf("action")),
    gameIds: new Set(valuesOf("game_id")),
  };
}

/**
 * Rule 5: no entry of the blocklist occurs in the context. Searches for keywords as whole words in all texts; compares
 * theme, category and action; compares game_id exactly (docs/behaviour.md#rule-5-blocklist).
 */
export function blocklistAdmits(blocklist: Blocklist, context: PreparedContext, gameId: string): boolean {
  return !(
    blocklist.gameIds.has(gameId) ||
    (context.theme !== null && blocklist.themes.has(context.theme)) ||
    (context.category !== null && blocklist.categories.has(context.category)) ||
    overlap(blocklist.actions, context.actions) ||
    blocklist.keywords.some((keyword) => occurs(keyword, context.allTexts))
  );
}

export const blocklistRule = defineRule(
  {
    blocked_keywords: { code: 303, meaning: "No keyword that the campaign blocks occurs in the context." },
    blocked_themes: { code: 304, meaning: "The theme is none that the campaign blocks." },
    blocked_context_categories: { code: 305, meaning: "The category is none that the campaign blocks." },
    blocked_actions: { code: 306, meaning: "No action is one that the campaign blocks." },
    blocked_games: { code: 307, meaning: "The game is none that the campaign blocks." },
  },
  (
    { source }: { source: { blocklist: readonly BlocklistRule[] } },
    { prepared, context }: { prepared: { context: PreparedContext; gameId: string }; context: GameContext },
  ) => {
    const verdictOf = (type: BlocklistRuleType, compared: string): Verdict => {
      const own = source.blocklist.filter((one) => one.rule_type === type);
      const hits = own.filter(
        (one) => !blocklistAdmits(compileBlocklist([one]), prepared.context, prepared.gameId),
      );
      if (own.length === 0) return [true, `The campaign has no blocklist rule of the type ${type}.`];
      if (hits.length === 0) {
        return [
          true,
          `The campaign blocks ${quoted(own.map((one) => one.value))}, not found in ${compared}.`,
        ];
      }
      const found =
        type === "keyword"
          ? listed(
              hits.map(
                ({ value }) => `${JSON.stringify(value)}, found in ${textsWith(value, context).join(", ")}`,
              ),
            )
          : `${quoted(hits.map((one) => one.value))}, found in ${compared}`;
      return [false, `The campaign blocks ${found}.`];
    };
    return {
      blocked_keywords: verdictOf("keyword", "the texts of the context"),
      blocked_themes: verdictOf("theme", `theme_id ${JSON.stringify(context.theme_id ?? null)}`),
      blocked_context_categories: verdictOf(
        "category",
        `category ${JSON.stringify(context.category ?? null)}`,
      ),
      blocked_actions: verdictOf("action", `the actions (${quoted(context.actions ?? []) || "none"})`),
      blocked_games: verdictOf("game_id", `game_id ${JSON.stringify(prepared.gameId)}`),
    };
  },
);

/** The fields of the context in which a keyword occurs. */
function textsWith(keyword: string, context: GameContext): string[] {
  const sought = phrase(keyword);
  const fields = ["narrative", "location", "theme_id", "category", "mood_tags", "actions"] as const;
  return fields.filter((field) => [context[field]].flat().some((text) => occurs(sought, searchable(text))));
}
