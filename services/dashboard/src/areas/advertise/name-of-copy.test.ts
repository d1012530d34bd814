import { describe, expect, it } from "@jest/globals";
import { nameOfCopy } from "./name-of-copy.ts";

const EMOJI = "\u{1f56f}";

describe("nameOfCopy", () => {
  it.each([
    ["a short name", "Ferries", "Ferries (copy)"],
    ["a name that just fits", "a".repeat(193), `${"a".repeat(193)} (copy)`],
    ["a name of 200 letters", "a".repeat(200), `${"a".repeat(193)} (copy)`],
    ["a name of 101 characters in 201 units", `a${EMOJI.repeat(100)}`, `a${EMOJI.repeat(100)} (copy)`],
    ["a name of 200 emoji", EMOJI.repeat(200), `${EMOJI.repeat(193)} (copy)`],
  ])("keeps whole characters, at most 200, of %s", (_what, name, copy) => {
    expect(nameOfCopy(name)).toBe(copy);
  });
});
