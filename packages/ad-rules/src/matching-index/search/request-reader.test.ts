import { rounds } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { placement } from "../../../tests/builders.ts";
import { occurs, type Phrase, phrase, searchable } from "../../text/words.ts";
import { effects } from "../dictionary/effects.ts";
import { Terms } from "../dictionary/terms.ts";
import { noEntry } from "../dictionary/text-table.ts";
import { RequestReader } from "./request-reader.ts";

/** Mostly the same few words, so that phrases share long prefixes with each other and with texts. */
const someText = (maxWords: number) =>
  fc
    .array(fc.constantFrom("a ", "a ", "a ", "ab ", "雨", "雨", "夜", "雨 "), {
      minLength: 1,
      maxLength: maxWords,
      size: "max",
    })
    .map((words) => words.join(""));

describe("phrases in the texts of a request", () => {
  it("are found exactly where they occur, however long they are and whatever else was added and removed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: someText(70), stays: fc.boolean() }), { minLength: 1, maxLength: 20 }),
        fc.array(someText(120), { minLength: 1, maxLength: 4 }),
        (texts, [narrative = "", ...actions]) => {
          const terms = new Terms(7);
          const reader = new RequestReader(terms);
          const phrases = texts.flatMap(({ text, stays }) => {
            const sought = phrase(text);
            return sought === null
              ? []
              : [{ sought, stays, term: terms.acquirePhrase(effects.keywordPhrase, sought) }];
          });
          for (const { stays, term } of phrases) if (!stays) terms.release(term);
          const kept = phrases.filter(({ stays }) => stays);
          const searched = [narrative, ...actions].map(searchable);
          const occursIn = (sought: Phrase) => searched.some((text) => occurs(sought, text));
          for (let request = 0; request < 2; request += 1) {
            reader.read({ placement: placement(), context: { narrative, actions }, geo: null, nowMs: 0 }, 0);
            const found = kept.filter(({ term }) => terms.flags[term] !== 0);
            expect(found.map(({ sought }) => sought)).toEqual(
              kept.map(({ sought }) => sought).filter(occursIn),
            );
            terms.resetAll();
          }
          for (const { term } of kept) terms.release(term);
          const prefixes = phrases.flatMap(({ sought }) =>
            [...sought].map((_, end) => sought.slice(0, end + 1)),
          );
          expect(prefixes.filter((prefix) => terms.texts.get(prefix) !== noEntry)).toEqual([]);
        },
      ),
      { numRuns: rounds(60, 600) },
    );
  });
});
