import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { creative } from "../../tests/builders.ts";
import { hookFor, hookOrder } from "./hook-rotation.ts";

describe("narrative_hook of an answer", () => {
  it("rotates over narrative_hook and alt_hooks", () => {
    const own = creative({ narrative_hook: "one", alt_hooks: ["two", "three"] });
    expect([0, 1, 2, 3, 4].map((seen) => hookFor(own, seen))).toEqual(["one", "two", "three", "one", "two"]);
  });

  it("counts a line once, whatever space surrounds it", () => {
    const own = creative({ narrative_hook: "one", alt_hooks: ["one ", "two", " "] });
    expect([0, 1, 2].map((seen) => hookFor(own, seen))).toEqual(["one", "two", "one"]);
  });

  it.each([
    { fields: { alt_hooks: ["alt"], tagline: "tagline" }, line: "alt" },
    { fields: { tagline: "tagline", product_name: "product" }, line: "tagline" },
    { fields: { tagline: " ", product_name: "product" }, line: "product" },
    { fields: {}, line: "brand" },
  ])("without a hook: $line", ({ fields, line }) => {
    expect(hookFor(creative({ narrative_hook: null, brand_name: "brand", ...fields }), 7)).toBe(line);
  });

  it("names the source of each line, also for an incomplete creative", () => {
    expect(hookOrder({ narrative_hook: "one", alt_hooks: ["two"], tagline: "t" })).toEqual([
      { line: "one", source: "narrative_hook" },
      { line: "two", source: "alt_hooks" },
    ]);
    expect(hookOrder({ product_name: "product" })).toEqual([{ line: "product", source: "product_name" }]);
    expect(hookOrder({})).toEqual([{ line: "", source: "brand_name" }]);
  });

  it("never repeats twice in a row when there are two different hooks", () => {
    const hook = fc.constantFrom("a", "b", "c", "d");
    fc.assert(
      fc.property(
        fc.option(hook),
        fc.array(hook, { maxLength: 6 }),
        fc.nat(),
        (narrative_hook, alt_hooks, seen) => {
          const hooks = new Set([narrative_hook, ...alt_hooks].filter((one) => one !== null));
          fc.pre(hooks.size >= 2);
          const own = creative({ narrative_hook, alt_hooks });
          expect(hookFor(own, seen + 1)).not.toBe(hookFor(own, seen));
          expect(new Set(Array.from({ length: hooks.size }, (_, times) => hookFor(own, times)))).toEqual(
            hooks,
          );
        },
      ),
    );
  });
});
