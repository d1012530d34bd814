import { describe, expect, it } from "@jest/globals";
import { bodyOfChanges, changedFields, conflictingFields, valuesOver } from "./changed-fields.ts";

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

describe("changedFields of what cannot be read", () => {
  it("has it, also over a field without a value", () => {
    expect(changedFields<Values>({ budget: null }, { budget: Number.NaN })).toEqual({ budget: Number.NaN });
  });
});

describe("conflictingFields", () => {
  const values: Values = { ...stored, budget: 6_000 };

  it("has a field that others have changed to something else", () => {
    expect(conflictingFields({ ...stored, budget: 7_000 }, stored, values)).toEqual(["budget"]);
  });

  it.each<[string, Values, Partial<Values>]>([
    ["a field that was not changed here", { ...stored, name: "Oak" }, {}],
    ["a field that has now the value of the form", { ...stored, budget: 6_000 }, {}],
    ["what this form is sending", { ...stored, budget: 5_500 }, { budget: 5_500 }],
  ])("has not %s", (_case, next, sent) => {
    expect(conflictingFields(next, stored, values, sent)).toEqual([]);
  });
});

describe("valuesOver", () => {
  const next: Values = { name: "Oak", budget: 7_000, tags: ["tavern", "harbour"] };

  it("keeps what was changed, and takes over everything else", () => {
    expect(valuesOver(next, stored, { ...stored, budget: 6_000 })).toEqual({ ...next, budget: 6_000 });
    expect(valuesOver(next, stored, stored)).toEqual(next);
    expect(valuesOver(next, stored, { ...stored, tags: [] })).toEqual({ ...next, tags: [] });
    expect(valuesOver(next, stored, { ...stored, budget: undefined })).toStrictEqual({
      ...next,
      budget: undefined,
    });
  });

  it("adds and removes entries of a list that others changed too", () => {
    const tagsOver = (tags: string[]) => valuesOver(next, stored, { ...stored, tags }, ["tags"]).tags;
    expect(tagsOver(["tavern", "market"])).toEqual(["tavern", "harbour", "market"]);
    expect(tagsOver([])).toEqual(["harbour"]);
    expect(tagsOver(["tavern", "harbour"])).toEqual(["tavern", "harbour"]);
  });

  it("keeps a field that was set back while its change was on its way", () => {
    const sent = { name: "Elm", tags: ["tavern", "market"] };
    const saved: Values = { ...stored, ...sent };
    expect(valuesOver(saved, stored, { ...saved, name: "Ink" }, [], sent)).toEqual({ ...saved, name: "Ink" });
    expect(valuesOver(saved, stored, { ...saved, name: undefined }, [], sent).name).toBeUndefined();
    expect(valuesOver(saved, stored, { ...saved, tags: ["tavern"] }, ["tags"], sent).tags).toEqual([
      "tavern",
    ]);
    expect(valuesOver(stored, stored, saved, ["tags"], sent)).toEqual(saved);
  });
});

describe("bodyOfChanges", () => {
  const sent = { onlyByPost: ["name"], required: ["name", "tags"] } as const;

  it("has the changes alone unless one of them needs a POST, which names what it requires", () => {
    const values = { ...stored, budget: 6_000 };
    expect(bodyOfChanges(values, { budget: 6_000 }, sent)).toEqual({
      isPosted: false,
      body: { budget: 6_000 },
    });
    expect(bodyOfChanges({ ...stored, name: "Oak" }, { name: "Oak" }, sent)).toEqual({
      isPosted: true,
      body: { name: "Oak", tags: ["tavern"] },
    });
    expect(bodyOfChanges({ ...values, name: "Oak" }, { name: "Oak", budget: 6_000 }, sent)).toEqual({
      isPosted: true,
      body: { name: "Oak", tags: ["tavern"], budget: 6_000 },
    });
  });
});
