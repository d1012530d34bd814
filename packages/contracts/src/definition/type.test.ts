import { describe, expect, it } from "@jest/globals";
import TypeBox from "typebox";
import Type from "./type.ts";

/** The same schemas by other builders. */
type Build = (builders: typeof Type) => unknown;

const SCHEMAS: [name: string, build: Build][] = [
  ["texts", (T) => T.String({ minLength: 1, description: "A text." })],
  ["numbers", (T) => [T.Number({ minimum: 0 }), T.Integer(), T.Boolean()]],
  ["choices", (T) => T.Enum(["a", "b"], { description: "A choice." })],
  ["lists", (T) => T.Array(T.Integer(), { maxItems: 3 })],
  ["maps", (T) => T.Record(T.String(), T.Integer({ minimum: 1 }), { description: "By name." })],
  ["other schemas", (T) => T.Unsafe<string>({ type: ["string", "null"] })],
  [
    "objects",
    (T) => T.Object({ a: T.String(), b: T.Optional(T.Integer()) }, { additionalProperties: false }),
  ],
  ["objects of optional fields", (T) => T.Object({ b: T.Optional(T.Integer()) })],
  ["objects without a field", (T) => T.Omit(T.Object({ a: T.String(), b: T.Optional(T.Integer()) }), ["a"])],
];

describe("the builders of schemas", () => {
  it.each(SCHEMAS)("make the %s that TypeBox makes", (_name, build) => {
    const own = JSON.stringify(build(Type));
    expect(JSON.parse(own)).toEqual(JSON.parse(JSON.stringify(build(TypeBox))));
  });
});
