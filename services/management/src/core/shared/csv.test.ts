import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { csvCell, csvText } from "./csv.ts";
import { csvAnswer, MAX_CSV_ROWS } from "./csv-answer.ts";

describe("csv", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["+49 30", "'+49 30"],
    ["-1+1", "'-1+1"],
    ["-12.500", "-12.500"],
    ["12.500", "12.500"],
    ["\t=1", "'\t=1"],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['a "b", c', '"a ""b"", c"'],
    ["two\nlines", '"two\nlines"'],
    [" padded", '" padded"'],
    ["", ""],
  ])("writes %j as %s", (text, cell) => expect(csvCell(text)).toBe(cell));

  it("starts no cell like a formula, whatever the text", () => {
    const start = fc.constantFrom("", "=", "+", "-", "@", "\t", "\r", '"', " ");
    fc.assert(
      fc.property(start, fc.string(), (first, rest) => {
        const cell = csvCell(first + rest).replace(/^"/, "");
        expect(/^[=+@\t\r]/.test(cell)).toBe(false);
        if (cell.startsWith("-")) expect(Number.isFinite(Number(cell.replace(/"$/, "")))).toBe(true);
      }),
    );
  });

  it("has the maximum number of rows below its header, and no more", () => {
    const rows = Array.from({ length: MAX_CSV_ROWS }, () => ["1"]);
    expect(csvAnswer("numbers.csv", ["number"], rows).text?.content).toBe(
      `number\n${"1\n".repeat(MAX_CSV_ROWS)}`,
    );
    expect(() => csvAnswer("numbers.csv", ["number"], [...rows, ["1"]])).toThrow("more than 100000 rows");
  });

  it("ends every row with a line break", () => {
    expect(
      csvText([
        ["a", "b"],
        ["1", "2"],
      ]),
    ).toBe("a,b\n1,2\n");
  });
});
