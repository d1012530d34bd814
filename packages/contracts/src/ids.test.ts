import { describe, expect, it } from "@jest/globals";
import { decodeTime } from "ulid";
import { derivedId, newId } from "./ids.ts";

describe("newId", () => {
  it("sorts by creation, also within a millisecond", () => {
    const ids = Array.from({ length: 1_000 }, () => newId("imp", 1_800_000_000_000));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toMatch(/^imp_[0-9a-z]{26}$/);
  });

  it("has the present time, also after an identifier of a later time", () => {
    newId("imp", Date.now() + 86_400_000);
    expect(decodeTime(newId("mat").slice(4).toUpperCase())).toBeLessThanOrEqual(Date.now());
  });
});

describe("derivedId", () => {
  it("is the same for the same text alone", () => {
    const id = derivedId("op", "an operation");
    expect(id).toMatch(/^op_[\w-]{43}$/);
    expect(derivedId("op", "an operation")).toBe(id);
    expect(derivedId("op", "another operation")).not.toBe(id);
  });
});
