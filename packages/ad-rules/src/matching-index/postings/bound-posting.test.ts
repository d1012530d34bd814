import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { rankOf } from "../../ranking/rank.ts";
import { withoutRoundingError } from "../../scoring/affinity-score.ts";
import { allMissed, bucketOf } from "../dictionary/buckets.ts";
import { level } from "../dictionary/effects.ts";
import {
  categoryBit,
  placeBit,
  placeSignatureOfCampaign,
  placeSignatureOfRequest,
  signatureOfCampaign,
  signatureOfRequest,
} from "../dictionary/signature.ts";
import { entryOf, lengthAt, reachAbove, reachOf } from "./bound-posting.ts";

const anyType = 1;

interface Made {
  bidCents: number;
  affinities: readonly { term: number; weight: number; level: number }[];
  /** Terms that a request satisfies and the record does not name. */
  others?: readonly { term: number; level: number }[];
  categories?: readonly number[];
  places?: readonly number[];
}

/** An entry, and what a request misses that has so much of each affinity. */
function made({ bidCents, affinities, others = [], categories = [], places = [] }: Made) {
  const weights = Float64Array.from(affinities, ({ weight }) => weight);
  const terms = Int32Array.from(affinities, ({ term }) => term);
  const score = affinities.reduce((sum, one) => sum + one.weight * (one.level / level.full), 0);
  const missed = allMissed();
  for (const one of [...affinities, ...others]) {
    const bucket = bucketOf(one.term);
    missed[bucket] = Math.min(missed[bucket] ?? 0, level.full - one.level);
  }
  const signature = signatureOfCampaign(anyType, categories);
  const entry = entryOf({
    bound: 1,
    record: 0,
    signature,
    places: placeSignatureOfCampaign(places),
    bidCents,
    terms,
    weights,
  });
  return { entry: Int32Array.from(entry), missed, rank: rankOf(bidCents, withoutRoundingError(score)) };
}

const union = (terms: readonly number[], bit: (term: number) => number) =>
  terms.reduce((bits, term) => bits | bit(term), 0);

function requestSignatureOf(categories: readonly number[], places: readonly number[]) {
  return {
    signature: signatureOfRequest(anyType, union(categories, categoryBit)),
    places: placeSignatureOfRequest(union(places, placeBit)),
  };
}

const requestSignature = requestSignatureOf([], []);
/** Few enough that some share a bucket, and some the bit of a category or a place. */
const someTerm = fc
  .record({ low: fc.integer({ min: 0, max: 40 }), high: fc.constantFrom(0, 1, 2) })
  .map(({ low, high }) => low + high * 1_024);
const someTerms = fc.uniqueArray(someTerm, { maxLength: 4 });
const levels = fc.constantFrom(level.none, level.half, level.full);

describe("what an entry says its record ranks at most", () => {
  it("is never below its rank, whatever its bid and weights", () => {
    const weight = fc.oneof(
      fc.double({ min: 0, max: 3, noNaN: true }),
      fc.double({ min: 0, max: 500, noNaN: true }),
    );
    const affinities = fc.uniqueArray(fc.record({ term: someTerm, weight, level: levels }), {
      maxLength: 50,
      selector: ({ term }) => term,
    });
    const others = fc.array(fc.record({ term: someTerm, level: levels }), { maxLength: 4 });
    const bid = fc.integer({ min: 1, max: 1_000_000 });
    const signature = fc.record({ named: someTerms, further: someTerms, which: fc.nat() });
    // A request that may be served has one of the terms that the record asks for, if it asks for any.
    const termsFor = ({ named, further, which }: { named: number[]; further: number[]; which: number }) =>
      named.length === 0 ? further : [...further, named[which % named.length] ?? 0];
    fc.assert(
      fc.property(
        bid,
        affinities,
        others,
        signature,
        signature,
        (bidCents, chosen, beside, categories, places) => {
          const { entry, missed, rank } = made({
            bidCents,
            affinities: chosen,
            others: beside.filter(({ term }) => chosen.every((one) => one.term !== term)),
            categories: categories.named,
            places: places.named,
          });
          const served = requestSignatureOf(termsFor(categories), termsFor(places));
          expect(reachAbove(entry, 0, served, missed, reachOf(rank))).toBeGreaterThanOrEqual(reachOf(rank));
          expect(lengthAt(entry, 0)).toBe(entry.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is close to its rank where weights have one decimal", () => {
    const weight = fc.integer({ min: 1, max: 30 }).map((tenths) => tenths / 10);
    // With a bucket that two of them share, an entry may say more.
    const affinities = fc.uniqueArray(fc.record({ term: someTerm, weight, level: levels }), {
      maxLength: 18,
      selector: ({ term }) => bucketOf(term),
    });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 10_000 }), affinities, (bidCents, chosen) => {
        const { entry, missed, rank } = made({ bidCents, affinities: chosen });
        expect(reachAbove(entry, 0, requestSignature, missed, reachOf(rank + 0.2))).toBe(0);
      }),
    );
  });

  it("is nothing for a request that does not requestSignature what it asks for", () => {
    const { entry, missed } = made({ bidCents: 100, affinities: [] });
    expect(
      reachAbove(entry, 0, { ...requestSignature, signature: signatureOfRequest(2, 0) }, missed, 1),
    ).toBe(0);
    expect(reachAbove(entry, 0, { ...requestSignature, places: 0 }, missed, 1)).toBe(0);
  });

  it("is nothing where none of the categories, or of the places, has a bit in common", () => {
    const of = fc.record({ named: someTerms, other: someTerms });
    const isPresent = (
      { named, other }: { named: number[]; other: number[] },
      bit: (term: number) => number,
    ) => named.length === 0 || (union(named, bit) & union(other, bit)) !== 0;
    fc.assert(
      fc.property(of, of, (categories, places) => {
        const asks = { categories: categories.named, places: places.named };
        const { entry, missed, rank } = made({ bidCents: 100, affinities: [], ...asks });
        const reach = reachAbove(entry, 0, requestSignatureOf(categories.other, places.other), missed, 1);
        const mayServe = isPresent(categories, categoryBit) && isPresent(places, placeBit);
        expect(reach).toBe(mayServe ? reachOf(rank) + 1 : 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
