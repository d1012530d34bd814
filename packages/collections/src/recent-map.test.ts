import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { RecentMap } from "./recent-map.ts";

const key = fc.integer({ min: 0, max: 12 });
const step = fc.oneof(
  fc.record({ does: fc.constant("set" as const), key }),
  fc.record({ does: fc.constant("get" as const), key }),
  fc.record({ does: fc.constant("delete" as const), key }),
);

describe("RecentMap", () => {
  it("never exceeds its limit, returns the latest values, and keeps the most recently used entries", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.array(step, { maxLength: 200 }), (maxWeight, steps) => {
        const recent = new RecentMap<number, string>(maxWeight);
        const truth = new Map<number, string>();
        /** Keys, most recently used last. */
        let used: number[] = [];
        for (const [number, { does, key: at }] of steps.entries()) {
          const isKept = used.slice(-Math.floor(maxWeight / 2)).includes(at);
          if (does === "delete") {
            recent.delete(at);
            truth.delete(at);
            used = used.filter((one) => one !== at);
            expect(recent.get(at)).toBeUndefined();
          } else if (does === "set") {
            recent.set(at, `value ${number}`);
            truth.set(at, `value ${number}`);
            used = [...used.filter((one) => one !== at), at];
          } else {
            const value = recent.get(at);
            if (isKept) expect(value).toBe(truth.get(at));
            if (value === undefined) continue;
            expect(value).toBe(truth.get(at));
            used = [...used.filter((one) => one !== at), at];
          }
          expect(recent.size).toBeLessThanOrEqual(maxWeight);
        }
      }),
    );
  });

  it("limits the total weight, and drops values heavier than half of it", () => {
    const { maxWeight, weights } = {
      maxWeight: fc.integer({ min: 2, max: 20 }),
      weights: fc.integer({ min: 1, max: 6 }),
    };
    fc.assert(
      fc.property(maxWeight, weights, fc.array(key, { maxLength: 60 }), (limit, each, keys) => {
        const recent = new RecentMap<number, number>(limit);
        for (const [number, at] of keys.entries()) {
          recent.get(keys[number >>> 1] ?? at);
          recent.set(at, number, each);
          expect(recent.get(at)).toBe(each > Math.floor(limit / 2) ? undefined : number);
          expect(recent.size * each).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it("requires a maximum weight of at least 2", () => {
    expect(() => new RecentMap(1)).toThrow(RangeError);
    expect(() => new RecentMap(Number.NaN)).toThrow(RangeError);
  });
});
