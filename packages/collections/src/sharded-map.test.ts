import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { ShardedMap } from "./sharded-map.ts";

const change = fc.record({ key: fc.string({ maxLength: 12 }), value: fc.option(fc.integer()) });

describe("ShardedMap", () => {
  it("behaves like a Map", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const plain = new Map<string, number>();
        const sharded = new ShardedMap<number>();
        for (const { key, value } of changes) {
          if (value === null) {
            plain.delete(key);
            sharded.delete(key);
          } else {
            plain.set(key, value);
            sharded.set(key, value);
          }
        }
        expect(sharded.size).toBe(plain.size);
        const inParts = sharded.parts.flatMap((part) => [...part]);
        expect(inParts).toHaveLength(plain.size);
        expect(new Map(inParts)).toEqual(plain);
        for (const { key } of changes) expect(sharded.get(key)).toBe(plain.get(key));
      }),
    );
  });
});
