import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Arena, placeOf, wholeLength } from "./arena.ts";

describe("memory in pieces", () => {
  it("gives pieces that do not meet, whatever was given back before", () => {
    const length = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(1, 17, 300_000));
    const step = fc.record({ piece: fc.nat({ max: 9 }), length });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const arena = new Arena();
        const pieces = new Map<number, { address: number; length: number }>();
        const numbersOf = (piece: { address: number; length: number }) => {
          const from = placeOf(piece.address);
          return arena.chunkOf(piece.address).subarray(from, from + piece.length);
        };
        for (const { piece, length: wanted } of steps) {
          const known = pieces.get(piece);
          if (known !== undefined) arena.give(known.address, known.length);
          const taken = { address: arena.take(wanted), length: wanted };
          pieces.set(piece, taken);
          numbersOf(taken).fill(piece);
        }
        for (const [piece, known] of pieces) {
          expect(numbersOf(known)).toHaveLength(known.length);
          expect(numbersOf(known).every((one) => one === piece)).toBe(true);
        }
      }),
    );
  });

  it("has pieces at most a quarter longer than requested, but for the rest of a line", () => {
    for (let length = 1; length < 1_500; length += 1) {
      const whole = wholeLength(length);
      expect([length, whole % 16]).toEqual([length, 0]);
      expect(whole).toBeGreaterThanOrEqual(length);
      expect(whole).toBeLessThan(Math.max(length + 16, length * 1.25));
      expect(wholeLength(whole)).toBe(whole);
    }
  });

  it("needs no more than eight times what pieces have that grew side by side", () => {
    const arena = new Arena();
    const pieces = Array.from({ length: 1_000 }, () => arena.take(1));
    /** Just too long for one of the lengths. */
    const longest = 2_049;
    for (let length = 17; length <= longest; length += 16) {
      for (const [number, address] of pieces.entries()) {
        arena.give(address, length - 16);
        pieces[number] = arena.take(length);
      }
    }
    const held = arena.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const begun = arena.chunks[0]?.length ?? 0;
    expect(held - begun).toBeLessThanOrEqual(pieces.length * longest * 8);
  });
});
