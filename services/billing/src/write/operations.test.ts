import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { splitByOperation } from "./operations.ts";

const HOUR_MS = 3_600_000;

function impressionsOf(given: readonly (readonly [string | undefined, number])[]) {
  return given.map(([operation_id, hours]) => ({
    record: { ...(operation_id !== undefined && { operation_id }), recorded_at_ms: hours * HOUR_MS },
  }));
}

describe("splitByOperation", () => {
  it("never lets two of one operation through within a day, and keeps every impression", () => {
    const some = fc.array(
      fc.tuple(fc.constantFrom("op_1", "op_2", undefined), fc.double({ min: 0, max: 80, noNaN: true })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(some, (given) => {
        const impressions = impressionsOf(given);
        const { first, again } = splitByOperation(impressions);
        expect(new Set([...first, ...again])).toEqual(new Set(impressions));
        expect(first.length + again.length).toBe(impressions.length);
        const close = (one: (typeof first)[number], other: (typeof first)[number]) =>
          one.record.operation_id !== undefined &&
          one.record.operation_id === other.record.operation_id &&
          Math.abs(one.record.recorded_at_ms - other.record.recorded_at_ms) < 24 * HOUR_MS;
        for (const [at, one] of first.entries()) {
          expect(first.slice(at + 1).some((other) => close(one, other))).toBe(false);
        }
        // None is held back without a reason.
        for (const one of again) expect(first.some((other) => close(one, other))).toBe(true);
      }),
    );
  });

  it("remembers every first, not only the latest", () => {
    const impressions = impressionsOf([
      ["op_1", 0],
      ["op_1", 24.5],
      ["op_1", 0.4],
    ]);
    expect(splitByOperation(impressions)).toEqual({
      first: impressions.slice(0, 2),
      again: impressions.slice(2),
    });
  });
});
