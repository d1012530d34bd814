/**
 * Reference implementation of docs/behaviour.md#texts-and-numbers, letter by letter, with which tests compare the
 * functions of the rules.
 */

/** Caches results, because worlds contain few distinct texts. */
function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= 10_000) known.clear();
    const made = make(text);
    known.set(text, made);
    return made;
  };
}

/** Unicode's default ignorable code points: first and last of each range. */
const ignored = `
  ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 3164 fe00-fe0f feff ffa0 fff0-fff8
  1bca0-1bca3 1d173-1d17a e0000-e0fff`
  .trim()
  .split(/\s+/)
  .map((range) => range.split("-").map((code) => Number.parseInt(code, 16)));

function isVisible(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return !ignored.some(([first = 0, last = first]) => first <= code && code <= last);
}

/** Normalises a text for comparison. Uses one small sigma, because its written form depends on what follows. */
export const same = remembered((text) => {
  let form = [...text].filter(isVisible).join("").normalize("NFKC").toLowerCase().normalize("NFKC");
  form = [...form].map((letter) => (letter === "ς" ? "σ" : letter)).join("");
  return form.trim();
});

/** Normalises the texts that are neither absent nor blank. */
export function sames(texts: readonly (string | null | undefined)[] | null | undefined): string[] {
  return (texts ?? []).map((text) => same(text ?? "")).filter((text) => text !== "");
}

const scriptsWithoutSpaces =
  "Han Hiragana Katakana Bopomofo Yi Thai Lao Khmer Myanmar Tibetan Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Javanese Balinese"
    .split(" ")
    .map((script) => new RegExp(`\\p{Script_Extensions=${script}}`, "u"));

interface Word {
  text: string;
  /** Its script does not separate words. */
  isUnspaced: boolean;
}

/** A run of letters, digits and marks in one kind of script. */
const wordsOf = remembered((text): Word[] => {
  const words: Word[] = [];
  let word: Word | null = null;
  for (const letter of same(text)) {
    if (/[\p{L}\p{N}]/u.test(letter)) {
      const isUnspaced = scriptsWithoutSpaces.some((script) => script.test(letter));
      if (word === null || word.isUnspaced !== isUnspaced) {
        word = { text: "", isUnspaced };
        words.push(word);
      }
      word.text += letter;
    } else if (/\p{M}/u.test(letter)) {
      if (word !== null) word.text += letter;
    } else {
      word = null;
    }
  }
  return words;
});

/** Whether the phrase's words follow each other in the text; in scripts without spaces, also inside words. */
export function hasPhrase(text: string | null | undefined, phrase: string): boolean {
  const sought = wordsOf(phrase);
  const words = wordsOf(text ?? "");
  if (sought.length === 0) return false;
  return words.some((_, start) =>
    sought.every(({ text: part, isUnspaced }, index) => {
      const word = words[start + index]?.text;
      if (word === undefined) return false;
      const isFirst = index === 0;
      const isLast = index === sought.length - 1;
      if (!isUnspaced || !(isFirst || isLast)) return word === part;
      if (isFirst && isLast) return word.includes(part);
      return isFirst ? word.endsWith(part) : word.startsWith(part);
    }),
  );
}

const twoLetters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", þ: "th" };
const strokes: Readonly<Record<string, string>> = { ø: "o", ł: "l", đ: "d", ð: "d", ħ: "h", ı: "i" };
const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** A city name without accents and points, one visible character at a time. */
export function cityName(name: string | null | undefined): string {
  return plainName(name ?? "");
}

const plainName = remembered((name): string => {
  const plain = [...graphemes.segment(same(name))].map(({ segment }) => {
    const letter = segment.normalize("NFC");
    const base = [...letter.normalize("NFD")][0] ?? "";
    if (/\p{Script=Cyrillic}/u.test(base))
      return "йўїѓќ".includes([...letter][0] ?? "") ? [...letter][0] : base;
    if (/[\p{Script=Latin}\p{Script=Greek}\p{Script=Hebrew}]/u.test(base)) {
      return twoLetters[base] ?? strokes[base] ?? base;
    }
    if (letter === "ـ" || /\p{Script=Inherited}/u.test(base)) return "";
    if (/\p{Script=Arabic}/u.test(base)) {
      // Madda and hamza form another letter.
      const parts = [...letter.normalize("NFD")].filter(
        (part) => !/\p{M}/u.test(part) || /[\u0653-\u0655]/u.test(part),
      );
      return parts.join("").normalize("NFC").replace("ـ", "");
    }
    return letter;
  });
  return plain.join("").trim();
});
