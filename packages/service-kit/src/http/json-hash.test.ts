import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { jsonSha256 } from "./json-hash.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("jsonSha256", () => {
  it("is that of the JSON text with the fields ordered at every depth, and nothing else", () => {
    expect(jsonSha256({ b: [{ d: 1, c: null }], a: "x" })).toBe(sha256('{"a":"x","b":[{"c":null,"d":1}]}'));
    expect(jsonSha256([2, 1])).toBe(sha256("[2,1]"));
    expect(jsonSha256(JSON.parse('{"b":"\\ud800é","__proto__":1}'))).toBe(
      sha256('{"__proto__":1,"b":"\\ud800é"}'),
    );
  });

  it("keeps every value as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const body: unknown = JSON.parse(JSON.stringify(value));
        expect(jsonSha256(body)).toBe(sha256(ordered(body)));
      }),
    );
  });

  it("ignores only the order of fields", () => {
    expect(jsonSha256({ a: 1, b: { c: [1, 2], d: null } })).toBe(
      jsonSha256({ b: { d: null, c: [1, 2] }, a: 1 }),
    );
    const different = [{}, [], null, { a: 1 }, { a: "1" }, { a: [1] }, { a: null }, [["a", 1]]];
    expect(new Set(different.map(jsonSha256)).size).toBe(different.length);
  });
});

function ordered(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(ordered).join(",")}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${ordered(field)}`).join(",")}}`;
}
