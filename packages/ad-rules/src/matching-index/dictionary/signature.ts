/**
 * What a record asks for, in two numbers, so that most of those that do not fit a request are passed over without looking
 * at their records: its creative types, one bit each; of the categories and of the places of which it requires one, a bit for
 * each term, shared with other terms. A request's numbers have the bits of its own types and terms: a record that may
 * serve has one in common with it in each of the three parts.
 */
const categoryShift = 4;
const categoryBits = 25;
const placeBits = 31;
const typesPart = (1 << categoryShift) - 1;
const categoriesPart = ((1 << categoryBits) - 1) << categoryShift;
/** What every request has, and of records those that require nothing of the kind. */
const anyCategory = 1 << categoryShift;
const anyPlace = 1;

/** Kinds of terms of which records require one: tags have no bit in the numbers. */
export const signatureKinds = { none: 0, category: 1, place: 2, tag: 3 } as const;

/** The bit of a category's term. */
export function categoryBit(term: number): number {
  return 1 << (categoryShift + 1 + (term % (categoryBits - 1)));
}

/** The bit of a place's term. */
export function placeBit(term: number): number {
  return 1 << (1 + (term % (placeBits - 1)));
}

/** Which types and categories a record asks for. @param types of creatives, as in `typeSetOf` */
export function signatureOfCampaign(types: number, categories: Iterable<number>): number {
  let bits = 0;
  for (const term of categories) bits |= categoryBit(term);
  return types | (bits || anyCategory);
}

/** Which places a record asks for. */
export function placeSignatureOfCampaign(places: Iterable<number>): number {
  let bits = 0;
  for (const term of places) bits |= placeBit(term);
  return bits || anyPlace;
}

/** What a request that has these bits of categories offers. */
export function signatureOfRequest(types: number, categories: number): number {
  return types | anyCategory | categories;
}

/** What a request that has these bits of places offers. */
export function placeSignatureOfRequest(places: number): number {
  return anyPlace | places;
}

/** What a request offers, as `signatureOfRequest` and `placeSignatureOfRequest`. */
export interface RequestSignature {
  signature: number;
  places: number;
}

/** Whether a record that asks for this may serve a request. */
export function fits(signature: number, places: number, requestSignature: RequestSignature): boolean {
  return fitness(signature, places, requestSignature) < 0;
}

/** Below 0 if the record may serve the request; what stands above the parts is ignored. */
export function fitness(signature: number, places: number, requestSignature: RequestSignature): number {
  const both = signature & requestSignature.signature;
  // A part with a bit is positive, so less than 0 when negated: no branch in place of three that nobody can foresee.
  return -(both & typesPart) & -(both & categoriesPart) & -(places & requestSignature.places);
}
