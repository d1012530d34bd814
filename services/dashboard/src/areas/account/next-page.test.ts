import { describe, expect, it } from "@jest/globals";
import { nextPage } from "./next-page.ts";

describe("nextPage", () => {
  it("is a page of this application, with its query and fragment", () => {
    expect(nextPage("/campaigns?q=ale")).toBe("/campaigns?q=ale");
    expect(nextPage("/join#inv_1")).toBe("/join#inv_1");
  });

  // A URL parser drops tabs and line breaks, and reads a backslash as a slash: all of these name another host.
  it.each([
    null,
    "",
    "campaigns",
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n\\evil.example",
    "\t//evil.example",
    "javascript:alert(1)",
  ])("is the overview instead of %j", (next) => expect(nextPage(next)).toBe("/"));
});
