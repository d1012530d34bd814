import { describe, expect, it } from "@jest/globals";
import { checkPassword } from "./password.ts";

describe("a new password", () => {
  it.each([
    ["nine char", "Use at least 10 characters."],
    ["x".repeat(129), "Use at most 128 characters."],
    ["🐉".repeat(9), "Use at least 10 characters."],
    ["🐉".repeat(128), undefined],
    [" Ada@Ember.example", "Use another one than your e-mail address: whoever knows that could sign in."],
    ["ada@ember.example, 1815", undefined],
  ])("%s gets the sentence %s", (password, sentence) => {
    expect(checkPassword(password, "ada@ember.example ")).toBe(sentence);
  });
});
