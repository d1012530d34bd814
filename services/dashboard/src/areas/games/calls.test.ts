import { describe, expect, it } from "@jest/globals";
import { sumsByName } from "./calls.ts";

describe("sumsByName", () => {
  it("adds up the counts of the same name, whatever others each part has", () => {
    const sums = sumsByName([{ match_429: 2 }, {}, { match_429: 1, impressions_409: 4 }]);
    expect([...sums]).toEqual([
      ["match_429", 3],
      ["impressions_409", 4],
    ]);
  });
});
