import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { isInCircle } from "../../rules/geo.ts";
import { greatCircleKm } from "../../rules/great-circle.ts";
import { CircleSet, preparePoint } from "./circles.ts";

const point = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
});
/** Distances from an edge, from none to some metres. */
const offEdgeKm = fc.oneof(
  fc.constant(0),
  fc.double({ min: -1e-5, max: 1e-5, noNaN: true }),
  fc.double({ min: -0.01, max: 0.01, noNaN: true }),
);
const circle = fc.record({ center: point, radiusKm: fc.double({ min: 0, max: 20_100, noNaN: true }) });

function isIn(
  circles: { center: { lat: number; lng: number }; radiusKm: number }[],
  player: { lat: number; lng: number },
): boolean {
  return new CircleSet(circles.map((one) => ({ type: "radius", ...one }))).has(preparePoint(player));
}

describe("a set of circles", () => {
  it("contains the points that the rule has in one of them", () => {
    fc.assert(
      fc.property(fc.array(circle, { maxLength: 4 }), point, (circles, player) => {
        const expected = circles.some(({ center, radiusKm }) => isInCircle(center, radiusKm, player));
        expect(isIn(circles, player)).toBe(expected);
      }),
    );
  });

  it("agrees with the rule around edges, also at poles, opposite points and in tiny circles", () => {
    const near = fc.record({
      lat: fc.double({ min: -1e-6, max: 1e-6, noNaN: true }),
      lng: fc.double({ min: -1e-6, max: 1e-6, noNaN: true }),
    });
    const center = fc.oneof(
      point,
      fc.constantFrom({ lat: 90, lng: 0 }, { lat: -90, lng: 7 }, { lat: 0, lng: 180 }),
    );
    const pair = fc.oneof(
      fc.tuple(center, point),
      fc
        .tuple(center, near)
        .map(
          ([from, by]) =>
            [from, { lat: Math.max(-90, Math.min(90, from.lat + by.lat)), lng: from.lng + by.lng }] as const,
        ),
      fc
        .tuple(center, near)
        .map(
          ([from, by]) =>
            [
              from,
              { lat: Math.max(-90, Math.min(90, by.lat - from.lat)), lng: from.lng - 180 + by.lng },
            ] as const,
        ),
    );
    fc.assert(
      fc.property(pair, offEdgeKm, ([from, player], offKm) => {
        const radiusKm = Math.max(0, greatCircleKm(from, player) + offKm);
        expect(isIn([{ center: from, radiusKm }], player)).toBe(isInCircle(from, radiusKm, player));
      }),
      { numRuns: 2_000 },
    );
  });
});
