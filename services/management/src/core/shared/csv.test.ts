import { MAX_CSV_ROWS } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { csvAnswer, csvCell, csvText } from "./csv.ts";

describe("csv", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["+49 30", "'+49 30"],
    ["-1+1", "'-1+1"],
    ["-12.500", "-12.500"],
    ["12.500", "12.500"],
    ["\t=1", "'\t'=1"],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['a "b", c', '"a ""b"", c"'],
    ["two\nlines", '"two\nlines"'],
    [" padded", '" padded"'],
    ["", ""],
    [" =1+1", "' =1+1"],
    ["\uff1d1+1", "'\uff1d1+1"],
    // A spreadsheet may separate cells by what its own language uses, and then knows no quotes within a cell.
    ["a;=1+1;b", "a;'=1+1;b"],
    ["a; =1+1", "a;' =1+1"],
    ['a;"=1+1', '"a;\'""=1+1"'],
    ["a\t@x", "a\t'@x"],
    ["a\n=cmd|' /C calc'!A0\nb", "\"a\n'=cmd|' /C calc'!A0\nb\""],
    ["Bed & breakfast; 7-11 + more = fun", "Bed & breakfast; 7-11 + more = fun"],
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

  it("starts no part of a cell like a formula, by whatever a spreadsheet separates cells", () => {
    const parts = fc.array(
      fc.oneof(fc.constantFrom("=", "+", "-", "@", ";", '"', "\t", "\n", "\r", " ", "\uff1d"), fc.string()),
    );
    fc.assert(
      fc.property(parts, (texts) => {
        const text = texts.join("");
        fc.pre(!Number.isFinite(Number(text)));
        for (const part of csvCell(text).split(/[;\t\r\n]/)) expect(part).not.toMatch(/^[ "]*[=+\-@\uff1d]/);
      }),
    );
  });

  it("has the maximum number of rows below its header, and no more", async () => {
    const rows = Array.from({ length: MAX_CSV_ROWS }, (_, index) => index);
    const columns = [["number", String]] as const;
    const answer = await csvAnswer("numbers.csv", columns, rows);
    expect(answer.text?.content).toBe(`number\n${rows.join("\n")}\n`);
    await expect(csvAnswer("numbers.csv", columns, [...rows, 1])).rejects.toThrow("more than 100000 rows");
  });

  it("lets other work go on while it is written", async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => index);
    let turns = 0;
    let writtenRows = 0;
    const count = () => {
      turns += 1;
      if (writtenRows < rows.length) setImmediate(count);
    };
    setImmediate(count);
    const cellOf = (row: number) => {
      writtenRows += 1;
      return String(row);
    };
    await csvAnswer("numbers.csv", [["number", cellOf]], rows);
    expect(turns).toBeGreaterThan(5);
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
