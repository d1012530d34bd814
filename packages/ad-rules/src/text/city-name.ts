import { comparableOrNull } from "./equality.ts";

const combiningDiacritics = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff]/g;
/** й, ў, ї, ѓ and ќ: letters of their own, though Unicode takes them for accented ones. ё is not: most write е for it. */
const ownLetters: ReadonlySet<string> = new Set(["и\u0306", "у\u0306", "і\u0308", "г\u0301", "к\u0301"]);
/** Vowel points of Hebrew and Arabic, which are rarely written, and the Arabic stroke that only lengthens a word. */
const points =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]/g;
/** Letters that Unicode's collation equates with plain ones though they do not decompose, and the dotless i. */
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
 * The form in which city names are compared: like other texts, and without accents (docs/behaviour.md#rule-4-geo). Points
 * that only say how a word is pronounced go as well; marks that make another letter or syllable (й, vowel signs of Thai and
 * of Indic scripts, voicing marks, hamza) stay. Null for an absent or blank name.
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
