import { describe, it } from "@jest/globals";

/** Whether `npm run test:long` runs: it runs every test file that imports this one. */
export const isLongForm = process.env.TEST_FORM === "long";

/** How often a test repeats something: the first number for `npm test`, the second for `npm run test:long`. */
export function rounds(short: number, long: number): number {
  return isLongForm ? long : short;
}

/** A test of details, apart from the main way. */
export const itInLongForm = isLongForm ? it : it.skip;
export const describeInLongForm = isLongForm ? describe : describe.skip;
