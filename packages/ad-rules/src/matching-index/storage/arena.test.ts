import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Arena, offsetOf, sizeClassLength } from "./arena.ts";

describe("Arena", () => {
  it("allocates blocks that do not overlap, whatever was freed before", () => {
    const length = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(1, 17, 300_000));
    const step = fc.record({ block: fc.nat({ max: 9 }), length });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const arena = new Arena();
        const blocks = new Map<number, { address: number; length: number }>();
        const numbersOf = (block: { address: number; length: number }) => {
          const from = offsetOf(block.address);
          return arena.chunkOf(block.address).subarray(from, from + block.length);
        };
        for (const { block, length: wanted } of steps) {
          const known = blocks.get(block);
          if (known !== undefined) arena.free(known.address, known.length);
          const allocated = { address: arena.allocate(wanted), length: wanted };
          blocks.set(block, allocated);
          numbersOf(allocated).fill(block);
        }
        for (const [block, known] of blocks) {
          expect(numbersOf(known)).toHaveLength(known.length);
          expect(numbersOf(known).every((one) => one === block)).toBe(true);
        }
      }),
    );
  });

  it("rounds lengths up by at most a quarter or to the end of a line", () => {
    for (let length = 1; length < 1_500; length += 1) {
      const classLength = sizeClassLength(length);
      expect([length, classLength % 16]).toEqual([length, 0]);
      expect(classLength).toBeGreaterThanOrEqual(length);
      expect(classLength).toBeLessThan(Math.max(length + 16, length * 1.25));
      expect(sizeClassLength(classLength)).toBe(classLength);
    }
  });

  it("uses at most eight times the memory of blocks that grew side by side", () => {
    const arena = new Arena();
    const blocks = Array.from({ length: 1_000 }, () => arena.allocate(1));
    /** One number more than a size class has. */
    const longest = 2_049;
    for (let length = 17; length <= longest; length += 16) {
      for (const [index, address] of blocks.entries()) {
        arena.free(address, length - 16);
        blocks[index] = arena.allocate(length);
      }
    }
    const total = arena.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const firstChunk = arena.chunks[0]?.length ?? 0;
    expect(total - firstChunk).toBeLessThanOrEqual(blocks.length * longest * 8);
  });
});
