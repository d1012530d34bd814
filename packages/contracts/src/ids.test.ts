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

  it("sorts by creation though others of another prefix are given other times between them", () => {
    const ids = Array.from({ length: 100 }, (_, i) => {
      newId("mat", 1_900_000_000_000 + (i % 2) * 60_000);
      return newId("imp", 1_800_000_000_000);
    });
    expect([...ids].sort()).toEqual(ids);
  });

  it("has a given time after a clock was wrong for a while", () => {
    newId("camp", 1_900_000_000_000);
    expect(decodeTime(newId("camp", 1_800_000_000_000).slice(5).toUpperCase())).toBe(1_800_000_000_000);
  });

  it("has the present time, also after an identifier of a later time", () => {
    newId("imp", Date.now() + 86_400_000);
    expect(decodeTime(newId("mat").slice(4).toUpperCase())).toBeLessThanOrEqual(Date.now());
  });

  it("has the present time after the clock was wrong for a while, and is no successor of an earlier one", () => {
    const { now } = Date;
    let ahead = "";
    try {
      Date.now = () => now() + 3_600_000;
      ahead = newId("mat");
    } finally {
      Date.now = now;
    }
    const [first, second] = [newId("mat"), newId("mat")].map((id) => id.slice(4).toUpperCase());
    expect(decodeTime(first ?? "")).toBeLessThanOrEqual(Date.now());
    expect((first ?? "").slice(10, 20)).not.toBe(ahead.slice(14, 24).toUpperCase());
    expect((second ?? "") > (first ?? "")).toBe(true);
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
