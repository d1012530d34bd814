/**
 * Hashes of passwords cost the test process a sixteenth of what they cost in production: their cost is a third of the
 * processor time of a test that signs users up. Another cost than the product's is left as it is.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** Of better-auth. A sign-up hashes twice, a sign-in once. */
const COST = { N: 16_384, r: 16, p: 1 };
const QUICK_N = COST.N / 16;

const { scrypt } = crypto;
crypto.scrypt = (password, salt, length, options, done) => {
  const isProducts = Object.entries(COST).every(([name, value]) => options?.[name] === value);
  return scrypt(password, salt, length, isProducts ? { ...options, N: QUICK_N } : options, done);
};
syncBuiltinESMExports();
