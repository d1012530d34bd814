import type { PreparedContext } from "../context/prepared-context.ts";
import { comparableSet, overlap } from "../text/equality.ts";
import { occurs, type Phrase, phrase } from "../text/words.ts";
import type { BlocklistRule, BlocklistRuleType } from "../types/campaign.ts";

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
