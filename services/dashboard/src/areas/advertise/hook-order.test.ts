import { describe, expect, it } from "@jest/globals";
import { hookOrder } from "./hook-order.ts";

const linesOf = (creative: Parameters<typeof hookOrder>[0]) => hookOrder(creative).map(({ line }) => line);

describe("hookOrder", () => {
  it("starts with the hook, then the alternatives in their order", () => {
    expect(linesOf({ narrative_hook: "One", alt_hooks: ["Two", "Three"] })).toEqual(["One", "Two", "Three"]);
  });

  it("counts a line that is listed twice once, and leaves blank ones out", () => {
    expect(linesOf({ narrative_hook: "One", alt_hooks: [" One ", "", "Two"] })).toEqual(["One", "Two"]);
  });

  it("falls back to tagline, product and brand, so that there is always a line", () => {
    expect(linesOf({ tagline: "Keeps the night awake.", brand_name: "Ember" })).toEqual([
      "Keeps the night awake.",
    ]);
    expect(linesOf({ product_name: "Dark No. 7", brand_name: "Ember" })).toEqual(["Dark No. 7"]);
    expect(linesOf({ brand_name: "Ember" })).toEqual(["Ember"]);
  });
});
