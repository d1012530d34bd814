/**
 * What a record asks for, in one number, so that most of those that do not fit a request are passed over without looking at
 * their records: its creative types, one bit each; of the categories and places of which it requires one, a bit for each
 * term, shared with other terms. A request's number has the bits of its own types and terms: a record that may serve has one
 * in common with it in each of the three parts.
 */
const categoryShift = 4;
const categoryBits = 11;
const placeShift = categoryShift + categoryBits;
const placeBits = 14;
const typesPart = (1 << categoryShift) - 1;
const categoriesPart = ((1 << categoryBits) - 1) << categoryShift;
const placesPart = ((1 << placeBits) - 1) << placeShift;
/** What every request has, and of records those that require nothing of the kind. */
const anyCategory = 1 << categoryShift;
const anyPlace = 1 << placeShift;

/** Kinds of terms: how they stand in the number. */
export const askedKinds = { none: 0, category: 1, place: 2 } as const;

/** The bit of a term. */
export function askedBit(kind: number, term: number): number {
  if (kind === askedKinds.category) return 1 << (categoryShift + 1 + (term % (categoryBits - 1)));
  return kind === askedKinds.place ? 1 << (placeShift + 1 + (term % (placeBits - 1))) : 0;
}

/** What a record asks for. @param types of creatives, as in `typeSetOf` */
export function askedBy(types: number, categories: Iterable<number>, places: Iterable<number>): number {
  let inCategories = 0;
  for (const term of categories) inCategories |= askedBit(askedKinds.category, term);
  let inPlaces = 0;
  for (const term of places) inPlaces |= askedBit(askedKinds.place, term);
  return types | (inCategories || anyCategory) | (inPlaces || anyPlace);
}

/** What a request that has these bits of terms offers. */
export function offered(types: number, termBits: number): number {
  return types | anyCategory | anyPlace | termBits;
}

/** Below 0 if the record may serve the request; what stands above the parts is ignored. */
export function fitness(asked: number, offer: number): number {
  const both = asked & offer;
  // A part with a bit is positive, so less than 0 when negated: no branch in place of three that nobody can foresee.
  return -(both & typesPart) & -(both & categoriesPart) & -(both & placesPart);
}
