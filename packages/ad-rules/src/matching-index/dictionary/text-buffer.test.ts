import { rounds } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { comparable } from "../../text/equality.ts";
import { searchable } from "../../text/words.ts";
import { TextBuffer } from "./text-buffer.ts";
import { hashKeyOf, hashOf } from "./text-hash.ts";

const KEY = hashKeyOf(5);
const UNITS = 1 << 16;

const buffer = new TextBuffer(KEY);
const contents = () => String.fromCharCode(...buffer.units.subarray(0, buffer.length));

function asValue(text: string): string {
  buffer.setComparable(text);
  return contents();
}

function asText(text: string): string {
  buffer.setSearchable(text);
  return contents().replace(/^ +$/, "");
}

/** The words of the buffer must be those of its text, with their hashes. */
function expectWords(text: string): void {
  const words = text === "" ? [] : text.trim().split(" ");
  const hashes = words.map((word) => hashOf(` ${word} `, KEY));
  expect([...buffer.wordHashes.subarray(0, buffer.wordCount)]).toEqual(hashes);
  const starts = words.map((_, index) =>
    words.slice(0, index).reduce((sum, word) => sum + word.length + 1, 0),
  );
  expect([...buffer.wordStarts.subarray(0, buffer.wordCount)]).toEqual(starts);
}

/** Empty without words. */
const wordsIn = (text: string) => searchable(text).replace(/^ +$/, "");

/** Letters of scripts with and without spaces, with and without case, separators, marks, ligatures and invisible ones. */
const someUnits = fc.constantFrom(
  ..."aZ9 -,.éÉßẞñøÆЙйёΣσςΆ雨夜々ーカｶ。，　한글각กาเ…½①’—\u00a0\u00ad\u0301\u0308\u200b\ufe0f\ufdfaİıǅﬁ𠮷👩",
  "\ud842",
  "\udfb7",
);

describe("TextBuffer", () => {
  it("normalises every unit like the functions that define the normal forms", () => {
    const differing = Array.from({ length: UNITS }, (_, unit) => String.fromCharCode(unit)).filter((unit) => {
      const texts = [unit, `A${unit}b`, `雨${unit}雨`];
      return texts.some((text) => asValue(text) !== comparable(text) || asText(text) !== wordsIn(text));
    });
    expect(differing).toEqual([]);
  });

  it("normalises texts of any units like those functions", () => {
    const text = fc.oneof(
      fc.array(someUnits, { maxLength: 40 }).map((units) => units.join("")),
      fc.string({ unit: "binary", maxLength: 40 }),
    );
    fc.assert(
      fc.property(text, (given) => {
        expect(asValue(given)).toBe(comparable(given));
        const text = asText(given);
        expect(text).toBe(wordsIn(given));
        expectWords(text);
      }),
      { numRuns: rounds(4_000, 40_000) },
    );
  });
});
