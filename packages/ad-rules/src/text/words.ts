import { comparable, onlyAscii } from "./equality.ts";

/**
 * Search for phrases as whole words (docs/behaviour.md#whole-words).
 *
 * Words are runs of letters, digits and combining marks that begin with a letter or digit; anything between two words
 * equals one space. In scripts that do not separate words, a phrase matches as a substring. A word ends where such a
 * script meets another one ("iPhone手机"), as if a space were there.
 *
 * Texts and phrases are normalised to words joined by single spaces, with an outer space where a word must begin or end.
 * The search is then a plain substring search.
 */

/** A normalised text; from `searchable`. */
export type SearchableText = string & { readonly searchable: unique symbol };
/** A normalised phrase; from `phrase`. */
export type Phrase = string & { readonly phrase: unique symbol };

const unspacedScripts = [
  "Han",
  "Hiragana",
  "Katakana",
  "Bopomofo",
  "Yi",
  "Thai",
  "Lao",
  "Khmer",
  "Myanmar",
  "Tibetan",
  "Tai_Le",
  "New_Tai_Lue",
  "Tai_Tham",
  "Tai_Viet",
  "Javanese",
  "Balinese",
];
const unspaced = `[${unspacedScripts.map((script) => `\\p{scx=${script}}`).join("")}]`;
const wordOf = (guard: string) => `${guard}[\\p{L}\\p{N}](?:${guard}[\\p{L}\\p{N}]|\\p{M})*`;
const words = new RegExp(`${wordOf(`(?=${unspaced})`)}|${wordOf(`(?!${unspaced})`)}`, "gu");
/** Whether a text begins in a script that does not separate words. */
export const beginsUnspaced = new RegExp(`^${unspaced}`, "u");
const asciiWords = /[a-z0-9]+/g;
// Compiles the expressions at start instead of during the first request; the second use compiles to machine code.
for (let times = 0; times < 2; times += 1) {
  "é 手".match(words);
  beginsUnspaced.test("手");
}

const letterOrDigit = /[\p{L}\p{N}]/u;

/** Separates the parts of a joined text; no phrase contains it. */
const fieldSeparator = "\n";

/** @param form in comparable form */
function wordsIn(form: string): string[] {
  return form.match(onlyAscii.test(form) ? asciiWords : words) ?? [];
}

/** Normalises a text for `occurs`; absent and blank texts contain no phrase. */
export function searchable(text: string | null | undefined): SearchableText {
  return text ? searchableForm(comparable(text)) : ("" as SearchableText);
}

/** `searchable` of a text in comparable form. */
export function searchableForm(form: string): SearchableText {
  return ` ${wordsIn(form).join(" ")} ` as SearchableText;
}

/** Joins texts such that no phrase matches across two of them. */
export function searchableAny(texts: Iterable<SearchableText>): SearchableText {
  return [...texts].join(fieldSeparator) as SearchableText;
}

/** Whether the text has a word: `phrase` is null for any other. */
export function hasWord(text: string): boolean {
  return letterOrDigit.test(comparable(text));
}

/** Normalises a phrase; null when it has no letter or digit and therefore never occurs. */
export function phrase(text: string): Phrase | null {
  const found = wordsIn(comparable(text));
  const first = found[0];
  const last = found.at(-1);
  if (first === undefined || last === undefined) return null;
  const start = beginsUnspaced.test(first) ? "" : " ";
  const end = beginsUnspaced.test(last) ? "" : " ";
  return `${start}${found.join(" ")}${end}` as Phrase;
}

/** Whether the phrase occurs in the text; null never occurs. */
export function occurs(sought: Phrase | null, text: SearchableText): boolean {
  return sought !== null && text.includes(sought);
}
