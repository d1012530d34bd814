import { describe, expect, it } from "@jest/globals";
import { fieldNamedIn } from "./api-error.ts";

describe("fieldNamedIn", () => {
  const fields = ["name", "budget_cents", "affinities"];

  it("finds the field that a sentence of the API begins with", () => {
    expect(fieldNamedIn("budget_cents must not be below what the campaign has spent", fields)).toBe(
      "budget_cents",
    );
  });

  it("finds the list whose entry is meant", () => {
    expect(fieldNamedIn("affinities[1].weight must be a number", fields)).toBe("affinities");
  });

  it("finds none in a sentence about something else", () => {
    expect(fieldNamedIn("The campaign has no creative.", fields)).toBeUndefined();
  });
});
