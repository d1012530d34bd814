import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { rankOf } from "../ranking/rank.ts";
import { withoutDust } from "../scoring/affinity-score.ts";
import { askedBy, offered, placesAskedBy, placesOffered } from "./asked.ts";
import { entryOf, lengthAt, reachAbove, reachOf } from "./bound-posting.ts";
import { level } from "./effects.ts";
import { allMissed } from "./lanes.ts";

const anyType = 1;
const offer = { asked: offered(anyType, 0), places: placesOffered(0) };

/** An entry whose n-th affinity is the term n, and what a request misses that has so much of each. */
function made(bidCents: number, affinities: readonly { weight: number; level: number }[]) {
  const weights = Float64Array.from(affinities, ({ weight }) => weight);
  const terms = Int32Array.from(affinities.keys());
  const score = affinities.reduce((sum, one) => sum + one.weight * (one.level / level.full), 0);
  const missed = allMissed();
  for (const [term, one] of affinities.entries()) missed[term] = level.full - one.level;
  const asked = askedBy(anyType, []);
  const places = placesAskedBy([]);
  const entry = entryOf({ bound: 1, record: 0, asked, places, bidCents, terms, weights });
  return { entry: Int32Array.from(entry), missed, rank: rankOf(bidCents, withoutDust(score)) };
}

const levels = fc.constantFrom(level.none, level.half, level.full);

describe("what an entry says its record ranks at most", () => {
  it("is never below its rank, whatever its bid and weights", () => {
    const weight = fc.oneof(
      fc.double({ min: -2, max: 3, noNaN: true }),
      fc.double({ min: 0, max: 500, noNaN: true }),
    );
    const affinities = fc.array(fc.record({ weight, level: levels }), { maxLength: 50 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), affinities, (bidCents, chosen) => {
        const { entry, missed, rank } = made(bidCents, chosen);
        expect(reachAbove(entry, 0, offer, missed, reachOf(rank))).toBeGreaterThanOrEqual(reachOf(rank));
        expect(lengthAt(entry, 0)).toBe(entry.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is its rank where weights have one decimal", () => {
    const weight = fc.integer({ min: 1, max: 30 }).map((tenths) => tenths / 10);
    const affinities = fc.array(fc.record({ weight, level: levels }), { maxLength: 18 });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 10_000 }), affinities, (bidCents, chosen) => {
        const { entry, missed, rank } = made(bidCents, chosen);
        expect(reachAbove(entry, 0, offer, missed, reachOf(rank + 0.1))).toBe(0);
      }),
    );
  });

  it("is nothing for a request that does not offer what it asks for", () => {
    const { entry, missed } = made(100, []);
    expect(reachAbove(entry, 0, { ...offer, asked: offered(2, 0) }, missed, 1)).toBe(0);
    expect(reachAbove(entry, 0, { ...offer, places: 0 }, missed, 1)).toBe(0);
  });
});
