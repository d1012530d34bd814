import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { hashKeyOf, hashOf } from "./text-hash.ts";
import { noEntry, TextTable } from "./text-table.ts";

/** Microseconds of the processor, however busy the machine is. */
function durationOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe("TextTable", () => {
  it("keeps what was put and not removed, in any order", () => {
    const change = fc.record({ text: fc.integer({ min: 0, max: 600 }), put: fc.boolean() });
    fc.assert(
      fc.property(
        fc.integer(),
        fc.array(change, { minLength: 200, maxLength: 2_000, size: "max" }),
        (seed, changes) => {
          const table = new TextTable(hashKeyOf(seed));
          const entries = new Map<string, number>();
          for (const { text: number, put } of changes) {
            const text = `t${number}`;
            const known = entries.get(text);
            if (put && known === undefined) {
              entries.set(text, table.put(text));
              table.countPhrase(table.get(text), 1);
            }
            if (put || known === undefined) continue;
            table.countPhrase(known, -1);
            entries.delete(text);
          }
          for (let number = 0; number <= 600; number += 1) {
            expect(table.get(`t${number}`)).toBe(entries.get(`t${number}`) ?? noEntry);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("takes not much longer to remove texts with the same hash than to put them", () => {
    const weakKey = 0;
    const table = new TextTable(weakKey);
    const texts = Array.from({ length: 4_000 }, (_, number) => `${number}x`);
    expect(new Set(texts.map((text) => hashOf(text, weakKey))).size).toBe(1);
    const put = durationOf(() => {
      for (const text of texts) table.countPhrase(table.put(text), 1);
    });
    const removed = durationOf(() => {
      for (const text of texts.slice(0, 2_000)) table.countPhrase(table.get(text), -1);
    });
    expect(removed).toBeLessThan(put * 20);
    expect(texts.filter((text) => table.get(text) !== noEntry)).toEqual(texts.slice(2_000));
  });

  it("lists the lengths of longer phrases in ascending order, as long as one phrase has each", () => {
    const change = fc.record({ length: fc.integer({ min: 1, max: 12 }), add: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const table = new TextTable(hashKeyOf(1));
        const entry = table.put("start");
        const counts = new Map<number, number>();
        for (const { length, add } of changes) {
          const count = counts.get(length) ?? 0;
          if (!add && count === 0) continue;
          table.countLonger(entry, length, add ? 1 : -1);
          counts.set(length, count + (add ? 1 : -1));
        }
        const expected = [...counts].flatMap(([length, count]) => (count > 0 ? [length] : []));
        const listed = Array.from({ length: expected.length + 1 }, (_, at) => table.longerAt(entry, at));
        expect(listed).toEqual([...expected.sort((left, right) => left - right), 0]);
      }),
    );
  });

  it("skips a marked text only where that is asked for", () => {
    const key = hashKeyOf(1);
    const table = new TextTable(key);
    const entry = table.put("ab");
    const units = Uint16Array.of(0x61, 0x62);
    table.mark(entry);
    expect(table.find(hashOf("ab", key), units, 0, 2, true)).toBe(noEntry);
    expect(table.find(hashOf("ab", key), units, 0, 2)).toBe(entry);
    table.unmark(entry);
    expect(table.find(hashOf("ab", key), units, 0, 2, true)).toBe(entry);
  });
});
