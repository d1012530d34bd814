import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Arena } from "./arena.ts";
import { NumberLists, noList } from "./number-lists.ts";

describe("lists in shared memory", () => {
  it("are what they were replaced with last, whatever happens to others", () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 0x7fff_ffff }), { maxLength: 40 });
    const changes = fc.array(fc.record({ which: fc.integer({ min: 0, max: 4 }), numbers }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(changes, (made) => {
        const lists = new NumberLists(new Arena());
        const handles = Array.from({ length: 5 }, () => noList);
        const expected: number[][] = Array.from({ length: 5 }, () => []);
        for (const { which, numbers: kept } of made) {
          handles[which] = lists.replace(handles[which] ?? noList, kept);
          expected[which] = kept;
        }
        const read = handles.map((list, which) => expected[which]?.map((_, place) => lists.at(list, place)));
        expect(read).toEqual(expected);
        for (const [which, list] of handles.entries()) {
          expect(lists.at(list, expected[which]?.length ?? 0)).toBe(0);
        }
      }),
    );
  });

  it("take no memory when they are empty", () => {
    const memory = new Arena();
    const lists = new NumberLists(memory);
    expect(lists.replace(noList, [])).toBe(noList);
    expect(memory.chunks).toHaveLength(0);
    expect(lists.replace(lists.replace(noList, [7]), [])).toBe(noList);
  });

  it("give back what they took when they are replaced", () => {
    const memory = new Arena();
    const lists = new NumberLists(memory);
    const lengths = [1, 40, 7, 200, 16, 0, 130];
    let list = noList;
    for (let round = 0; round < 100_000; round += 1) {
      const length = lengths[round % lengths.length] ?? 0;
      list = lists.replace(list, new Array<number>(length).fill(round));
    }
    expect(memory.chunks).toHaveLength(1);
    // One piece of each length lies in the first chunk, and there is room for everything else.
    const next = memory.take(1_000);
    expect(next).toBeLessThan(1_000);
  });
});
