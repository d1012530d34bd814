import { describe, expect, it } from "@jest/globals";
import { isFound, knownFilters, pageNumber, parseSort, sortRows, sortText } from "./table-rows.ts";

describe("the rows of a table", () => {
  it("puts rows without a value last, whatever the direction", () => {
    const rows = [{ at: null }, { at: 2 }, { at: 1 }];
    const at = (row: { at: number | null }) => row.at;
    expect(sortRows(rows, at, false).map(at)).toEqual([1, 2, null]);
    expect(sortRows(rows, at, true).map(at)).toEqual([2, 1, null]);
  });

  it("sorts texts as people do, and keeps the order of equal ones", () => {
    const rows = ["item 10", "Item 2", "item 2"];
    expect(sortRows(rows, (row) => row, false)).toEqual(["Item 2", "item 2", "item 10"]);
  });

  it("reads back what it writes into the address", () => {
    expect(parseSort(sortText({ key: "spent", isDescending: true }))).toEqual({
      key: "spent",
      isDescending: true,
    });
    expect(parseSort("")).toBeUndefined();
  });

  it("finds a row by all words of a search, in any of its texts", () => {
    expect(isFound("winter ACTIVE", ["Winter in the taverns", "active"], "camp_01")).toBe(true);
    expect(isFound("winter paused", ["Winter in the taverns", "active"], "camp_01")).toBe(false);
  });

  it("finds a row by its whole identifier alone", () => {
    expect([" camp_01 ", "camp", "01"].map((search) => isFound(search, ["Winter"], "camp_01"))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("takes only filters and pages from the address that there are", () => {
    const filters = [{ key: "status", options: [{ value: "active" }] }];
    expect(knownFilters("status=active&color=red", filters)).toBe("status=active");
    expect(knownFilters("status=ended", filters)).toBe("");
    expect(["3", "0", "-1", "1.5", "x"].map(pageNumber)).toEqual(["3", "1", "1", "1", "1"]);
  });
});
