import { expect, it } from "@jest/globals";
import { firstLine } from "./first-line.ts";

it("a creative is known by the first line that a player reads of it", () => {
  const all = {
    narrative_hook: "The innkeeper pours.",
    alt_hooks: ["Steam rises."],
    tagline: "Warm since the first fire",
    product_name: "Dark Roast",
    brand_name: "Emberroast",
  };
  const withoutHooks = { ...all, narrative_hook: null, alt_hooks: [] };
  const known = [
    all,
    { ...all, narrative_hook: null },
    withoutHooks,
    { ...withoutHooks, tagline: null },
    { ...withoutHooks, tagline: null, product_name: null },
  ].map((lines) => firstLine(lines));
  expect(known).toEqual([
    "The innkeeper pours.",
    "Steam rises.",
    "Warm since the first fire",
    "Dark Roast",
    "Emberroast",
  ]);
});
