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
import { entryLength, entryOf, reachAbove, reachOf } from "./entry.ts";

const anyType = 1;

interface EntryFacts {
  bidCents: number;
  affinities: readonly { term: number; weight: number; level: number }[];
  /** Terms that the request has and the record does not. */
  others?: readonly { term: number; level: number }[];
  categories?: readonly number[];
  places?: readonly number[];
}

/** An entry, and what a request with these levels misses. */
function entryFor({ bidCents, affinities, others = [], categories = [], places = [] }: EntryFacts) {
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
/** Few terms, so that some share a bucket, and some share the bit of a category or a place. */
const someTerm = fc
  .record({ low: fc.integer({ min: 0, max: 40 }), high: fc.constantFrom(0, 1, 2) })
  .map(({ low, high }) => low + high * 1_024);
const someTerms = fc.uniqueArray(someTerm, { maxLength: 4 });
const levels = fc.constantFrom(level.none, level.half, level.full);

describe("the reach of an entry", () => {
  it("is never below the record's rank, whatever its bid and weights", () => {
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
    // A matching request has one of the record's required terms, if there are any.
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
          const { entry, missed, rank } = entryFor({
            bidCents,
            affinities: chosen,
            others: beside.filter(({ term }) => chosen.every((one) => one.term !== term)),
            categories: categories.named,
            places: places.named,
          });
          const served = requestSignatureOf(termsFor(categories), termsFor(places));
          expect(reachAbove(entry, 0, served, missed, reachOf(rank))).toBeGreaterThanOrEqual(reachOf(rank));
          expect(entry).toHaveLength(entryLength);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is close to the record's rank when weights have one decimal", () => {
    const weight = fc.integer({ min: 1, max: 30 }).map((tenths) => tenths / 10);
    // Distinct buckets: a shared bucket can raise the reach.
    const affinities = fc.uniqueArray(fc.record({ term: someTerm, weight, level: levels }), {
      maxLength: 6,
      selector: ({ term }) => bucketOf(term),
    });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 10_000 }), affinities, (bidCents, chosen) => {
        const { entry, missed, rank } = entryFor({ bidCents, affinities: chosen });
        expect(reachAbove(entry, 0, requestSignature, missed, reachOf(rank + 0.2))).toBe(0);
      }),
    );
  });

  it("is 0 when the request signature does not fit the campaign signature", () => {
    const { entry, missed } = entryFor({ bidCents: 100, affinities: [] });
    expect(
      reachAbove(entry, 0, { ...requestSignature, signature: signatureOfRequest(2, 0) }, missed, 1),
    ).toBe(0);
    expect(reachAbove(entry, 0, { ...requestSignature, places: 0 }, missed, 1)).toBe(0);
  });

  it("is 0 when categories or places have no bit in common", () => {
    const of = fc.record({ named: someTerms, other: someTerms });
    const hasCommonBit = (
      { named, other }: { named: number[]; other: number[] },
      bit: (term: number) => number,
    ) => named.length === 0 || (union(named, bit) & union(other, bit)) !== 0;
    fc.assert(
      fc.property(of, of, (categories, places) => {
        const required = { categories: categories.named, places: places.named };
        const { entry, missed, rank } = entryFor({ bidCents: 100, affinities: [], ...required });
        const reach = reachAbove(entry, 0, requestSignatureOf(categories.other, places.other), missed, 1);
        const mayServe = hasCommonBit(categories, categoryBit) && hasCommonBit(places, placeBit);
        expect(reach).toBe(mayServe ? reachOf(rank) + 1 : 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
