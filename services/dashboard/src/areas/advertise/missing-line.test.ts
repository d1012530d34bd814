import { describe, expect, it } from "@jest/globals";
import { missingLine } from "./missing-line.ts";

describe("missingLine", () => {
  it.each([undefined, null, ""])("asks for the line of a narrative hook: %p", (line) => {
    expect(missingLine({ creative_type: "narrative_hook", narrative_hook: line })).toEqual({
      narrative_hook: "Write the line first.",
    });
  });

  it("accepts a narrative hook with a line, and every other type without one", () => {
    expect(missingLine({ creative_type: "narrative_hook", narrative_hook: "An ale." })).toEqual({});
    expect(missingLine({ creative_type: "product_mention" })).toEqual({});
  });
});
