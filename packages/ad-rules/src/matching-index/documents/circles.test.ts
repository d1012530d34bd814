import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { isInCircle } from "../../rules/geo.ts";
import { greatCircleKm } from "../../rules/great-circle.ts";
import { isInCircles, packedCircles, preparePoint } from "./circles.ts";

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
/** Small ones, so that many together leave most points out. */
const smallCircle = fc.record({ center: point, radiusKm: fc.double({ min: 0, max: 500, noNaN: true }) });
const anyCircle = fc.oneof({ weight: 30, arbitrary: smallCircle }, circle);

function isIn(
  circles: { center: { lat: number; lng: number }; radiusKm: number }[],
  player: { lat: number; lng: number },
): boolean {
  const packed = Float64Array.from([
    Number.NaN,
    ...packedCircles(circles.map((one) => ({ type: "radius", ...one }))),
    Number.NaN,
  ]);
  return isInCircles(packed, 1, packed.length - 1, preparePoint(player));
}

describe("packed circles", () => {
  it("contain the points that the rule has in one of them", () => {
    fc.assert(
      fc.property(fc.array(anyCircle, { maxLength: 60 }), point, (circles, player) => {
        const expected = circles.some(({ center, radiusKm }) => isInCircle(center, radiusKm, player));
        expect(isIn(circles, player)).toBe(expected);
      }),
    );
  });

  it("contain a point at the edge of any of them", () => {
    fc.assert(
      fc.property(
        fc.array(smallCircle, { minLength: 1, maxLength: 60 }),
        fc.nat(),
        fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
        offEdgeKm,
        (circles, chosen, direction, offKm) => {
          const { center } = circles[chosen % circles.length] as (typeof circles)[number];
          const player = {
            lat: Math.max(-90, Math.min(90, center.lat + Math.sin(direction))),
            lng: Math.max(-180, Math.min(180, center.lng + Math.cos(direction))),
          };
          const radiusKm = Math.max(0, greatCircleKm(center, player) + offKm);
          const all = circles.with(chosen % circles.length, { center, radiusKm });
          const expected = all.some((one) => isInCircle(one.center, one.radiusKm, player));
          expect(isIn(all, player)).toBe(expected);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("agree with the rule around edges, also at poles, opposite points and in tiny circles", () => {
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
