import { describe, expect, it } from "@jest/globals";
import Type from "../definition/type.ts";
import { InvalidInput } from "../http-error.ts";
import { patchReader, patchSchemaOf } from "./response-only.ts";

const changes = Type.Object({ name: Type.Optional(Type.String()) }, { description: "Changes." });
const answer = Type.Object({
  id: Type.String({ description: "The thing." }),
  name: Type.String(),
  status: Type.String(),
  parts: Type.Array(Type.String()),
});
const read = patchReader(changes, answer, { status: "pause it by POST /pause" });
const current = { id: "thing_1", name: "One", status: "active", parts: ["a"] };

function detailOf(body: unknown): string {
  try {
    read(body, current);
  } catch (error) {
    if (error instanceof InvalidInput && error.status === 422) return error.message;
    throw error;
  }
  return "accepted";
}

describe("a field of the answer in a PATCH", () => {
  it("is refused with the call that changes it", () => {
    expect(detailOf({ status: "paused" })).toBe("status cannot be changed by PATCH: pause it by POST /pause");
    expect(detailOf({ status: null })).toContain("status cannot be changed");
    expect(detailOf({ status: 5 })).toContain("status cannot be changed");
    expect(detailOf({ name: "Two", id: "thing_2" })).toBe("id cannot be changed by PATCH: leave it out");
    expect(detailOf({ parts: ["a", "b"] })).toContain("parts cannot be changed");
  });

  it("is accepted with its current value, and is no change", () => {
    expect(read(current, current)).toEqual({ name: "One" });
    expect(read({ status: "active", unknown: 1 }, current)).toEqual({});
  });

  it("stands in the schema of the document as readOnly", () => {
    const properties: Record<string, object> = patchSchemaOf(changes, answer).properties;
    const readOnly = Object.entries(properties).filter(([, field]) => "readOnly" in field);
    expect(readOnly.map(([name]) => name)).toEqual(["id", "status", "parts"]);
    expect(properties.id).toMatchObject({
      type: "string",
      description: expect.stringMatching(/^The thing\. /),
    });
  });
});
