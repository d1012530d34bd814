import { comparable } from "./equality.ts";
import { beginsUnspaced, searchable } from "./words.ts";

/** Bits of `plainUnit` above the normalised unit. */
export const plain = {
  unit: 0xffff,
  /** Compared texts have the normalised unit in its place. */
  inValues: 1 << 16,
  /** Searched texts have the normalised unit in its place, if it is of a word, or else a space. */
  inTexts: 1 << 17,
  /** Letters and digits. */
  ofWord: 1 << 18,
  /** Of a script that does not separate words. */
  unspaced: 1 << 19,
  known: 1 << 20,
} as const;

/** Has units that may combine with those before: marks, and letters of which Unicode composes Korean syllables. */
const combines = /[\p{M}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;
const isSurrogate = /\p{Cs}/u;
/** By unit; filled at the first use of each. */
const units = new Int32Array(1 << 16);

/**
 * How a UTF-16 unit is normalised whatever stands beside it: a sum of `plain`. Without `inValues` or `inTexts`, the functions
 * `comparable` or `searchable` must normalise the whole text.
 */
export function plainUnit(unit: number): number {
  return units[unit] || classify(unit);
}

function classify(unit: number): number {
  const text = String.fromCharCode(unit);
  let found: number = plain.known;
  // Between others, where spaces stay.
  const form = comparable(`x${text}x`).slice(1, -1);
  if (!isSurrogate.test(text) && !combines.test(form)) {
    const isOne = form.length === 1;
    const isOfWord = searchable(form) !== "  ";
    if (isOne) found |= form.charCodeAt(0);
    if (isOne && form.trim() !== "") found |= plain.inValues;
    if (form !== "" && (isOne || !isOfWord)) found |= plain.inTexts;
    if (isOfWord) found |= plain.ofWord;
    if (beginsUnspaced.test(form)) found |= plain.unspaced;
  }
  units[unit] = found;
  return found;
}
