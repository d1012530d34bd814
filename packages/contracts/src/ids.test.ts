import { describe, expect, it } from "@jest/globals";
import { derivedId, newId } from "./ids.ts";

describe("newId", () => {
  it("sorts by creation, also within a millisecond", () => {
    const ids = Array.from({ length: 1_000 }, () => newId("imp", 1_800_000_000_000));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toMatch(/^imp_[0-9a-z]{26}$/);
  });
});

describe("derivedId", () => {
  it("is the same for the same text and time alone", () => {
    const id = derivedId("imp", "an operation", 1_800_000_000_000);
    expect(id).toMatch(/^imp_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(derivedId("imp", "an operation", 1_800_000_000_000)).toBe(id);
    expect(derivedId("imp", "another operation", 1_800_000_000_000)).not.toBe(id);
    expect(derivedId("imp", "an operation", 1_800_086_400_000) > id).toBe(true);
  });
});
