import { describe, expect, it } from "@jest/globals";
import { dollarsOfMillicents, withMoney } from "./format.ts";

describe("withMoney", () => {
  it("writes the amounts of a sentence as money", () => {
    expect(withMoney("a bid of 1980 cents would win; the budget has 0.5 cents left, or 1 cent.")).toBe(
      "a bid of $19.80 would win; the budget has $0.005 left, or $0.01.",
    );
  });

  it("leaves other numbers and words as they are", () => {
    expect(withMoney("a rank of 1000 in 20 centuries")).toBe("a rank of 1000 in 20 centuries");
  });
});

describe("dollarsOfMillicents", () => {
  it("is exact where two divisions are not", () => {
    expect(String(dollarsOfMillicents(1_212))).toBe("0.01212");
  });
});
