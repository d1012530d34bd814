import { comparable, onlyAscii } from "./equality.ts";

/**
 * Search for phrases as whole words (docs/behaviour.md#whole-words).
 *
 * Words are runs of letters, digits and combining marks that begin with a letter or digit; whatever stands between two
 * words equals one space. In scripts that do not separate words a phrase is sought as a substring. Where such a script
 * meets another one ("iPhone手机") a word ends, as if a space stood there.
 *
 * Text and phrase are brought into one form: words joined by single spaces, with a space at the outer sides where a word
 * must end. The search is then a plain substring search.
 */

/** A text made ready for searching; made by `searchable`. */
export type SearchableText = string & { readonly searchable: unique symbol };
/** A phrase made ready for being sought; made by `phrase`. */
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
const beginsUnspaced = new RegExp(`^${unspaced}`, "u");
const asciiWords = /[a-z0-9]+/g;
// Compiled here, which takes milliseconds, and not while a first campaign or request waits; to machine code when used again.
for (let times = 0; times < 2; times += 1) {
  "é 手".match(words);
  beginsUnspaced.test("手");
}

/** Separates the fields of a text that was made of several; no phrase contains it. */
const fieldSeparator = "\n";

function wordsOf(text: string): string[] {
  const form = comparable(text);
  return form.match(onlyAscii.test(form) ? asciiWords : words) ?? [];
}

/** A text in which phrases are sought; absent and blank texts contain nothing. */
export function searchable(text: string | null | undefined): SearchableText {
  return (text ? ` ${wordsOf(text).join(" ")} ` : "") as SearchableText;
}

/** Several texts as one, in which no phrase is found across two of them. */
export function searchableAny(texts: Iterable<SearchableText>): SearchableText {
  return [...texts].join(fieldSeparator) as SearchableText;
}

/** A phrase to seek, or null when it has no letter and no digit: then it occurs nowhere. */
export function phrase(text: string): Phrase | null {
  const found = wordsOf(text);
  const first = found[0];
  const last = found.at(-1);
  if (first === undefined || last === undefined) return null;
  const start = beginsUnspaced.test(first) ? "" : " ";
  const end = beginsUnspaced.test(last) ? "" : " ";
  return `${start}${found.join(" ")}${end}` as Phrase;
}

/** Whether the phrase occurs in the text; null occurs nowhere. */
export function occurs(sought: Phrase | null, text: SearchableText): boolean {
  return sought !== null && text.includes(sought);
}
