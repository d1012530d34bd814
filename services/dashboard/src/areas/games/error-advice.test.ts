import { describe, expect, it } from "@jest/globals";
import { errorAdvice } from "./error-advice.ts";

describe("what an impression without a match to bill means", () => {
  it("is as the page on integrating says, and that its match_id is sent", () => {
    expect(errorAdvice(409)).toMatch(/money was spent.*cap was lowered.*lapsed over an hour ago.*match_id/);
    expect(errorAdvice(409)).not.toContain("24 hours");
  });
});
