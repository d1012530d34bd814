import { comparableOrNull, comparableSet } from "../text/equality.ts";
import { type SearchableText, searchable, searchableAny } from "../text/words.ts";
import type { GameContext } from "../types/request.ts";

/** A match request's game_context, normalised once for all campaigns. */
export interface PreparedContext {
  theme: string | null;
  category: string | null;
  location: string | null;
  moods: ReadonlySet<string>;
  actions: ReadonlySet<string>;
  /** Union of the fields above. */
  terms: ReadonlySet<string>;
  narrative: SearchableText;
  /** Narrative, location, theme_id, category, mood tags and actions; searched for blocklist keywords. */
  allTexts: SearchableText;
}

/** Treats blank texts as absent and ignores blank entries of lists (docs/behaviour.md#blank-texts). */
export function prepareContext(context: GameContext): PreparedContext {
  const theme = comparableOrNull(context.theme_id);
  const category = comparableOrNull(context.category);
  const location = comparableOrNull(context.location);
  const moods = comparableSet(context.mood_tags);
  const actions = comparableSet(context.actions);
  const single = [theme, category, location].filter((term) => term !== null);
  const terms = new Set([...single, ...moods, ...actions]);
  const narrative = searchable(context.narrative);
  const allTexts = searchableAny([narrative, ...[...terms].map((term) => searchable(term))]);
  return { theme, category, location, moods, actions, terms, narrative, allTexts };
}
