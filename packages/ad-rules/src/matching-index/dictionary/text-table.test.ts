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
              table.usePhrase(table.get(text), 1);
            }
            if (put || known === undefined) continue;
            table.usePhrase(known, -1);
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
      for (const text of texts) table.usePhrase(table.put(text), 1);
    });
    const removed = durationOf(() => {
      for (const text of texts.slice(0, 2_000)) table.usePhrase(table.get(text), -1);
    });
    expect(removed).toBeLessThan(put * 20);
    expect(texts.filter((text) => table.get(text) !== noEntry)).toEqual(texts.slice(2_000));
  });
});
