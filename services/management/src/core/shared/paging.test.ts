import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { writeInParts } from "./paging.ts";

it("a list is written whole or up to a limit, in parts that become smaller with its rows", async () => {
  const row = fc.integer({ min: 1, max: 60_000 }).map((length) => "x".repeat(length));
  const list = fc.array(fc.oneof({ weight: 9, arbitrary: fc.constant("small") }, row), { maxLength: 250 });
  const limit = fc.option(fc.integer({ min: 1, max: 300 }), { nil: Number.POSITIVE_INFINITY });
  await fc.assert(
    fc.asyncProperty(list, limit, async (rows, atMost) => {
      const counts: number[] = [];
      const numbered = rows.map((text, number) => ({ number, text }));
      const read = async (count: number, last: { number: number } | undefined) => {
        counts.push(count);
        const from = last === undefined ? 0 : last.number + 1;
        return numbered.slice(from, from + count + 1);
      };
      const written = await writeInParts(atMost, read, ({ text }) => text);
      const expected = rows.slice(0, atMost);
      expect(written.rows).toEqual(expected.map((one) => JSON.stringify(one)));
      expect(written.last?.text).toBe(expected.at(-1));
      expect(written.hasMore).toBe(rows.length > expected.length);
      for (const count of counts) expect(count).toBeLessThanOrEqual(100);
    }),
  );
});

it("a list of large rows is read few at a time", async () => {
  const rows = Array.from({ length: 40 }, (_, number) => ({ number, text: "x".repeat(120_000) }));
  const counts: number[] = [];
  await writeInParts<(typeof rows)[number]>(
    500,
    async (count, last) => {
      counts.push(count);
      const from = last === undefined ? 0 : last.number + 1;
      return rows.slice(from, from + count + 1);
    },
    (row) => row,
  );
  expect(new Set(counts)).toEqual(new Set([10, 2]));
});
