/**
 * Hashes of texts under a secret key, so that nobody can prepare texts that collide. The hash of the empty text is the key.
 */

/** The seed of the key 1, which hardly mixes; the seed 0 must not have it. */
const weakSeed = 0x9e3779b9;

/** Loops read the key with `| 0`, so that the engine keeps hashes as integers. @param seed an integer of 32 bits */
export function hashKeyOf(seed: number): number {
  return spread(seed ^ weakSeed) | 1;
}

/**
 * Extends the hash of a text by one unit. Not linear, so that no collision holds for all keys; and with a public multiplier,
 * some differences of three units would cancel for one start in 400.
 */
export function extendHash(hash: number, unit: number, key: number): number {
  // The processor need not wait for the product to compute the rest.
  return (Math.imul(hash, key) + ((hash >>> 15) ^ unit)) | 0;
}

export function hashOf(text: string, key: number): number {
  let hash = key;
  for (let at = 0; at < text.length; at += 1) hash = extendHash(hash, text.charCodeAt(at), key);
  return hash;
}

/** Spreads a number over all 32 bits. */
export function spread(number: number): number {
  const product = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
  return product ^ (product >>> 13);
}
