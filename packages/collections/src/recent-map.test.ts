import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { RecentMap } from "./recent-map.ts";

const key = fc.integer({ min: 0, max: 12 });
const step = fc.oneof(
  fc.record({ does: fc.constant("set" as const), key }),
  fc.record({ does: fc.constant("get" as const), key }),
  fc.record({ does: fc.constant("delete" as const), key }),
);

describe("a map of what was used lately", () => {
  it("never has more than it may, nothing but what was put in last, and always what was used last", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.array(step, { maxLength: 200 }), (most, steps) => {
        const recent = new RecentMap<number, string>(most);
        const truth = new Map<number, string>();
        /** Keys, the one that was used last at the end. */
        let used: number[] = [];
        for (const [number, { does, key: at }] of steps.entries()) {
          const isKept = used.slice(-Math.floor(most / 2)).includes(at);
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
          expect(recent.size).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
