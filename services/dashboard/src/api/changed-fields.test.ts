import { describe, expect, it } from "@jest/globals";
import { changedFields } from "./changed-fields.ts";

interface Values {
  name?: string | undefined;
  budget?: number | null | undefined;
  tags?: string[];
}

const stored: Values = { name: "Ink", budget: 5_000, tags: ["tavern"] };

describe("changedFields", () => {
  it("has only what differs", () => {
    expect(changedFields(stored, { ...stored, tags: ["tavern"], budget: 6_000 })).toEqual({ budget: 6_000 });
  });

  it("has an emptied field as null", () => {
    expect(changedFields(stored, { ...stored, budget: undefined })).toEqual({ budget: null });
  });

  it.each([undefined, null])("takes null, %s and a field left out for the same", (budget) => {
    expect(changedFields<Values>({ name: "Ink" }, { name: "Ink", budget })).toEqual({});
    expect(changedFields<Values>({ name: "Ink", budget: null }, { name: "Ink", budget })).toEqual({});
  });
});
