import type { PreparedContext } from "../context/prepared-context.ts";
import { comparableSet, overlap } from "../text/equality.ts";
import { occurs, type Phrase, phrase, searchable } from "../text/words.ts";
import type { BlocklistRule, BlocklistRuleType } from "../types/campaign.ts";
import type { GameContext } from "../types/request.ts";
import { defineRule, type Verdict } from "./rule.ts";
import { listedApart, quoted, quotedOnce } from "./wording.ts";

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
    const blocked = (type: BlocklistRuleType) => {
      const own = source.blocklist.filter((one) => one.rule_type === type);
      const hits = own.filter(
        (one) => !blocklistAdmits(compileBlocklist([one]), prepared.context, prepared.gameId),
      );
      return { own: own.map((one) => one.value), hits: hits.map((one) => one.value) };
    };
    const found = (): Verdict => {
      const { own, hits } = blocked("keyword");
      if (own.length === 0) return [true, "The campaign blocks no keywords."];
      if (hits.length === 0) {
        return [true, `The campaign blocks ${quoted(own)}, not found in the texts of the context.`];
      }
      const placesOf = (value: string) =>
        `${JSON.stringify(value)}, found in ${textsWith(value, context).join(", ")}`;
      return [false, `The campaign blocks ${listedApart(hits, placesOf)}.`];
    };
    /** @param compared what the values may equal; null: the context has none */
    const equal = (type: BlocklistRuleType, plural: string, compared: string | null): Verdict => {
      const { own, hits } = blocked(type);
      if (own.length === 0) return [true, `The campaign blocks no ${plural}.`];
      if (compared === null) return [true, `The campaign blocks ${quoted(own)}; the context has no ${type}.`];
      return hits.length > 0
        ? [false, `The campaign blocks ${quoted(hits)}, equal to ${compared}.`]
        : [true, `None of the ${plural} that the campaign blocks (${quoted(own)}) equals ${compared}.`];
    };
    const { theme, category, actions } = prepared.context;
    const themeId = theme === null ? null : `theme_id ${JSON.stringify(context.theme_id)}`;
    const ownCategory = category === null ? null : `category ${JSON.stringify(context.category)}`;
    const anAction = actions.size === 0 ? null : `an action (${quotedOnce(context.actions)})`;
    return {
      blocked_keywords: found(),
      blocked_themes: equal("theme", "themes", themeId),
      blocked_context_categories: equal("category", "categories", ownCategory),
      blocked_actions: equal("action", "actions", anAction),
      blocked_games: equal("game_id", "games", `game_id ${JSON.stringify(prepared.gameId)}`),
    };
  },
);

/** The fields of the context in which a keyword occurs. */
function textsWith(keyword: string, context: GameContext): string[] {
  const sought = phrase(keyword);
  const fields = ["narrative", "location", "theme_id", "category", "mood_tags", "actions"] as const;
  return fields.filter((field) => [context[field]].flat().some((text) => occurs(sought, searchable(text))));
}
