import { describe, expect, it } from "@jest/globals";
import { nextCursor } from "./link.ts";

describe("nextCursor", () => {
  it("reads the cursor of the next page", () => {
    const link = '</api/earnings?limit=500&cursor=a%2Fb>; rel="next"';
    expect(nextCursor(link)).toBe("a/b");
  });

  it("finds none on the last page", () => {
    expect(nextCursor(null)).toBeUndefined();
    expect(nextCursor('</api/earnings>; rel="first"')).toBeUndefined();
  });
});
