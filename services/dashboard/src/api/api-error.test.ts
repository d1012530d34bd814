import { describe, expect, it } from "@jest/globals";
import { ApiError, fieldNamedIn } from "./api-error.ts";

it("tells people the seconds of a limit in place of the header", () => {
  const sentence =
    "Too many requests: at most 100 a minute are allowed. Wait for the seconds that Retry-After names.";
  expect(new ApiError(429, sentence, 12).detail).toBe(
    "Too many requests: at most 100 a minute are allowed. Try again in 12 s.",
  );
});

it("tells people the seconds of an outage in place of a delay that they do not see", () => {
  const sentence = "Service temporarily unavailable; retry after the given delay.";
  expect(new ApiError(503, sentence, 1).detail).toBe("Service temporarily unavailable. Try again in 1 s.");
});

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
