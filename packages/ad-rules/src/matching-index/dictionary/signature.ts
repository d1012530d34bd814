/**
 * Campaign signatures and request signatures: small Bloom filters in two numbers each, by which a search skips most
 * unsuitable records without reading them.
 *
 * A campaign signature has a bit for each creative type, required category and required place; a request signature has the
 * bits of its own types and terms. Terms share bits. A record that may serve has a bit in common with the request in each of
 * the three parts.
 */
const categoryShift = 4;
const categoryBits = 25;
const placeBits = 31;
const typesPart = (1 << categoryShift) - 1;
const categoriesPart = ((1 << categoryBits) - 1) << categoryShift;
/** Bits of every request signature, and of the campaign signatures without requirements of that kind. */
const anyCategory = 1 << categoryShift;
const anyPlace = 1;

export function categoryBit(term: number): number {
  return 1 << (categoryShift + 1 + (term % (categoryBits - 1)));
}

export function placeBit(term: number): number {
  return 1 << (1 + (term % (placeBits - 1)));
}

/** The first number of a campaign signature. @param types creative types, as in `typeSetOf` */
export function signatureOfCampaign(types: number, categories: Iterable<number>): number {
  let bits = 0;
  for (const term of categories) bits |= categoryBit(term);
  return types | (bits || anyCategory);
}

/** The second number of a campaign signature. */
export function placeSignatureOfCampaign(places: Iterable<number>): number {
  let bits = 0;
  for (const term of places) bits |= placeBit(term);
  return bits || anyPlace;
}

/** The first number of a request signature. @param categories bits, as in `categoryBit` */
export function signatureOfRequest(types: number, categories: number): number {
  return types | anyCategory | categories;
}

/** The second number of a request signature. @param places bits, as in `placeBit` */
export function placeSignatureOfRequest(places: number): number {
  return anyPlace | places;
}

/** From `signatureOfRequest` and `placeSignatureOfRequest`. */
export interface RequestSignature {
  signature: number;
  places: number;
}

/** Below 0 if the record may serve the request. Ignores the bits above the parts. */
export function fitness(signature: number, places: number, requestSignature: RequestSignature): number {
  const both = signature & requestSignature.signature;
  // A part with a bit set is positive, so its negation is below 0. This avoids three unpredictable branches.
  return -(both & typesPart) & -(both & categoriesPart) & -(places & requestSignature.places);
}
