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
/** Longer scenes are not kept: those of a game fit into its memory. */
const MAX_SCENE_BYTES = 3_000;
const CUT_CHARACTER = /[\ud800-\udbff]$/;
const MAX_WORD_CHARACTERS = 60;
/** A shorter player id would occur in too many words. */
const MIN_HIDDEN_CHARACTERS = 3;
const HIDDEN = "[player]";
const ONLY_ASCII = /^[\0-\x7f]*$/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** The scene as stored, as JSON; undefined: too long. @param secrets texts to remove, in any form */
export function sceneText(scene: NoMatchScene, secrets: readonly (string | undefined)[]): string | undefined {
  const hidden = foldedSecrets(secrets);
  // The script that stores it rejects lone surrogates.
  const clean = (text: string) => hidden.reduce(withoutSecret, text.toWellFormed());
  const { context } = scene;
  const kept: SceneContext = {
    theme_id: context.theme_id && clean(context.theme_id),
    category: context.category && clean(context.category),
    narrative:
      context.narrative &&
      clean(context.narrative).slice(0, MAX_NARRATIVE_CHARACTERS).replace(CUT_CHARACTER, ""),
    mood_tags: context.mood_tags?.slice(0, MAX_LIST_ENTRIES).map(clean),
    location: context.location && clean(context.location),
    actions: context.actions?.slice(0, MAX_LIST_ENTRIES).map(clean),
  };
  const text = JSON.stringify({ ...scene, context: kept });
  return Buffer.byteLength(text) <= MAX_SCENE_BYTES ? text : undefined;
}

/** Replaces a folded secret wherever the text has it. */
function withoutSecret(text: string, secret: string): string {
  const form = folded(text);
  if (secret.length < MIN_HIDDEN_CHARACTERS) return form.trim() === secret ? HIDDEN : text;
  if (!form.includes(secret)) return text;
  // Where folding changes more than case, indexes would differ.
  const source = form === text.toLowerCase() && form.length === text.length ? text : form;
  let kept = "";
  let from = 0;
  for (let at = form.indexOf(secret); at >= 0; at = form.indexOf(secret, from)) {
    kept += source.slice(from, at) + HIDDEN;
    from = at + secret.length;
  }
  return kept + source.slice(from);
}

/** The words of a scene, each once: `mood:calm`. Without those that contain a secret, in any form. */
export function wordsOf(context: SceneContext, secrets: readonly (string | undefined)[]): Set<string> {
  const words = new Set<string>();
  const hidden = foldedSecrets(secrets);
  const one = (type: WordType, value: string | undefined) => {
    if (value === undefined || value.length > MAX_WORD_CHARACTERS) return;
    const form = value.trim().toLowerCase().toWellFormed();
    if (form === "") return;
    const word = folded(form).trim();
    if (!hidden.some((secret) => names(word, secret))) words.add(`${type}:${form}`);
  };
  one("theme", context.theme_id);
  one("category", context.category);
  one("location", context.location);
  for (const mood of context.mood_tags?.slice(0, MAX_LIST_ENTRIES) ?? []) one("mood", mood);
  for (const action of context.actions?.slice(0, MAX_LIST_ENTRIES) ?? []) one("action", action);
  return words;
}

function foldedSecrets(texts: readonly (string | undefined)[]): string[] {
  return texts
    .filter((text) => text !== undefined)
    .map((text) => folded(text.toWellFormed()).trim())
    .filter((secret) => secret !== "");
}

/** A text without what keeps a player's id from being found: case, width, composition and invisible characters. */
function folded(text: string): string {
  if (ONLY_ASCII.test(text)) return text.toLowerCase();
  // Upper case first: "ß" and "SS" are the same in another case.
  const lower = text.replace(INVISIBLE, "").normalize("NFKC").toUpperCase().toLowerCase();
  return lower.normalize("NFKC").replaceAll("ς", "σ");
}

/** Whether the word contains the player's id. Both are folded. */
function names(word: string, secret: string): boolean {
  return secret.length < MIN_HIDDEN_CHARACTERS ? word === secret : word.includes(secret);
}
