import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Arena } from "./arena.ts";
import { NumberLists, noList } from "./number-lists.ts";

describe("NumberLists", () => {
  it("keeps the numbers of the last replacement, whatever happens to other lists", () => {
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
        const read = handles.map((list, which) => expected[which]?.map((_, index) => lists.at(list, index)));
        expect(read).toEqual(expected);
        for (const [which, list] of handles.entries()) {
          expect(lists.at(list, expected[which]?.length ?? 0)).toBe(0);
        }
      }),
    );
  });

  it("allocates nothing for empty lists", () => {
    const memory = new Arena();
    const lists = new NumberLists(memory);
    expect(lists.replace(noList, [])).toBe(noList);
    expect(memory.chunks).toHaveLength(0);
    expect(lists.replace(lists.replace(noList, [7]), [])).toBe(noList);
  });

  it("frees the block of a replaced list", () => {
    const memory = new Arena();
    const lists = new NumberLists(memory);
    const lengths = [1, 40, 7, 200, 16, 0, 130];
    let list = noList;
    for (let round = 0; round < 100_000; round += 1) {
      const length = lengths[round % lengths.length] ?? 0;
      list = lists.replace(list, new Array<number>(length).fill(round));
    }
    expect(memory.chunks).toHaveLength(1);
    // One block of each length is in the first chunk, so 1 000 numbers still fit at its start.
    const next = memory.allocate(1_000);
    expect(next).toBeLessThan(1_000);
  });
});
