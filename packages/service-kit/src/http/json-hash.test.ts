import { InvalidInput } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { canonicalJson, jsonSha256 } from "./json-hash.ts";

describe("canonicalJson", () => {
  it("orders fields at every depth, and nothing else", () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
    expect(canonicalJson([2, 1])).toBe("[2,1]");
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  });

  it("keeps every value as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      }),
    );
  });

  it("refuses a body that is nested too deeply", () => {
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    expect(() => canonicalJson(deep)).toThrow(InvalidInput);
  });
});

describe("jsonSha256", () => {
  it("ignores only the order of fields", () => {
    expect(jsonSha256({ a: 1, b: { c: [1, 2], d: null } })).toBe(
      jsonSha256({ b: { d: null, c: [1, 2] }, a: 1 }),
    );
    const different = [{}, [], null, { a: 1 }, { a: "1" }, { a: [1] }, { a: null }, [["a", 1]]];
    expect(new Set(different.map(jsonSha256)).size).toBe(different.length);
  });
});
