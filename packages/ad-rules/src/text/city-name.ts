import { comparableOrNull } from "./equality.ts";

const combiningDiacritics = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff]/g;
/** й, ў, ї, ѓ and ќ are separate letters, although Unicode decomposes them. ё is not: it is usually written as е. */
const ownLetters: ReadonlySet<string> = new Set(["и\u0306", "у\u0306", "і\u0308", "г\u0301", "к\u0301"]);
/** Vowel points of Hebrew and Arabic, which are rarely written, and the Arabic tatweel, which only lengthens a word. */
const points =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]/g;
/** Letters that Unicode collation equates with plain ones although they do not decompose, and the dotless i. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ð: "d",
  þ: "th",
  ı: "i",
  ß: "ss",
  æ: "ae",
  œ: "oe",
};
const decorated = /[øłđħðþıßæœ]/g;

/**
 * Normalises a city name for comparison: like other texts, and without accents (docs/behaviour.md#rule-4-geo). Removes
 * marks that only affect pronunciation; keeps marks that make another letter or syllable (й, vowel signs of Thai and of
 * Indic scripts, voicing marks, hamza). Null for an absent or blank name.
 */
export function comparableCityName(name: string | null | undefined): string | null {
  const form = comparableOrNull(name);
  if (form === null) return null;
  const plain = form
    .normalize("NFD")
    .replace(combiningDiacritics, (mark, at: number, text: string) =>
      ownLetters.has(`${text[at - 1] ?? ""}${mark}`) ? mark : "",
    )
    .replace(points, "")
    .normalize("NFC")
    .replace(decorated, (letter) => plainLetters[letter] ?? letter);
  return plain.trim() || null;
}
