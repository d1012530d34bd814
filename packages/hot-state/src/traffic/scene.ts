import type { WordType } from "./limits.ts";

/** A game's description of a scene, as sent. */
export interface SceneContext {
  theme_id?: string | undefined;
  category?: string | undefined;
  narrative?: string | undefined;
  mood_tags?: readonly string[] | undefined;
  location?: string | undefined;
  actions?: readonly string[] | undefined;
}

/** A scene without an ad. Contains no player, no session and no place below the country. */
export interface NoMatchScene {
  atMs: number;
  reason: string;
  countryCode: string | null;
  context: SceneContext;
}

const MAX_NARRATIVE_CHARACTERS = 500;
const MAX_LIST_ENTRIES = 20;
/** Longer scenes are not kept. */
const MAX_SCENE_CHARACTERS = 6_000;
const MAX_WORD_CHARACTERS = 60;
/** A shorter player id would occur in too many words. */
const MIN_HIDDEN_CHARACTERS = 3;

/** The scene as stored, as JSON; undefined: too long. @param secrets texts to remove */
export function sceneText(scene: NoMatchScene, secrets: readonly (string | undefined)[]): string | undefined {
  const hidden = secrets.filter((text) => text !== undefined && text.length >= MIN_HIDDEN_CHARACTERS);
  // The script that stores it rejects lone surrogates.
  const clean = (text: string) =>
    hidden.reduce<string>(
      (masked, secret) => masked.replaceAll(secret ?? "", "[player]"),
      text.toWellFormed(),
    );
  const { context } = scene;
  const kept: SceneContext = {
    ...(context.theme_id !== undefined && { theme_id: clean(context.theme_id) }),
    ...(context.category !== undefined && { category: clean(context.category) }),
    ...(context.narrative !== undefined && {
      narrative: clean(context.narrative).slice(0, MAX_NARRATIVE_CHARACTERS),
    }),
    ...(context.mood_tags !== undefined && {
      mood_tags: context.mood_tags.slice(0, MAX_LIST_ENTRIES).map(clean),
    }),
    ...(context.location !== undefined && { location: clean(context.location) }),
    ...(context.actions !== undefined && { actions: context.actions.slice(0, MAX_LIST_ENTRIES).map(clean) }),
  };
  const text = JSON.stringify({ ...scene, context: kept });
  return text.length <= MAX_SCENE_CHARACTERS ? text : undefined;
}

/** Calls `take` with each word of a scene: `mood:calm`. Skips words that contain a secret. */
export function eachWord(
  context: SceneContext,
  secrets: readonly (string | undefined)[],
  take: (word: string) => void,
): void {
  const one = (type: WordType, value: string | undefined) => {
    if (value === undefined || value.length > MAX_WORD_CHARACTERS) return;
    if (secrets.some((secret) => secret !== undefined && names(value, secret))) return;
    const form = value.trim().toLowerCase().toWellFormed();
    if (form !== "") take(`${type}:${form}`);
  };
  one("theme", context.theme_id);
  one("category", context.category);
  one("location", context.location);
  for (const mood of context.mood_tags?.slice(0, MAX_LIST_ENTRIES) ?? []) one("mood", mood);
  for (const action of context.actions?.slice(0, MAX_LIST_ENTRIES) ?? []) one("action", action);
}

/** Whether the value contains the player's id. */
function names(value: string, secret: string): boolean {
  return secret.length < MIN_HIDDEN_CHARACTERS ? value === secret : value.includes(secret);
}
