import { comparableOrNull } from "./equality.ts";

const combiningDiacritics = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff]/g;
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
 * The form in which city names are compared: like other texts, and without accents (semantics: Matching, "Geo").
 * Marks that are no accents (vowel signs, voicing marks) stay. Null for an absent or blank name.
 */
export function comparableCityName(name: string | null | undefined): string | null {
  const form = comparableOrNull(name);
  if (form === null) return null;
  return form
    .normalize("NFD")
    .replace(combiningDiacritics, "")
    .normalize("NFC")
    .replace(decorated, (letter) => plainLetters[letter] ?? letter);
}
