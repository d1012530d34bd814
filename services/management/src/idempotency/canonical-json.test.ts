import { InvalidInput } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { jsonSha256 } from "./canonical-json.ts";

describe("jsonSha256", () => {
  it("does not see the order of fields, but everything else", () => {
    expect(jsonSha256({ a: 1, b: { c: [1, 2], d: null } })).toBe(
      jsonSha256({ b: { d: null, c: [1, 2] }, a: 1 }),
    );
    const different = [
      {},
      [],
      null,
      { a: 1 },
      { a: "1" },
      { a: [1] },
      { a: null },
      [["a", 1]],
      { fields: [["a", 1]] },
    ];
    expect(new Set(different.map(jsonSha256)).size).toBe(different.length);
  });

  it("is equal for values that JSON writes and reads again", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonSha256(JSON.parse(JSON.stringify(value)))).toBe(jsonSha256(value));
      }),
    );
  });

  it("refuses a body without end", () => {
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    expect(() => jsonSha256(deep)).toThrow(InvalidInput);
  });
});
