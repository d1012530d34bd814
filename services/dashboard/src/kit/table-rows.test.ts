import { describe, expect, it } from "@jest/globals";
import { isFound, knownFilters, pageNumber, parseSort, sortRows, sortText, titleOf } from "./table-rows.ts";

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

describe("what a row is called", () => {
  interface Row {
    date: string;
    campaign: string | null;
  }
  const day = {
    key: "day",
    header: "Day",
    value: ({ date }: Row) => date,
    spoken: ({ date }: Row) => `the day ${date}`,
    cell: () => null,
  };
  const campaign = {
    key: "campaign",
    header: "Campaign",
    value: (row: Row) => row.campaign,
    cell: () => null,
  };
  const row: Row = { date: "2026-12-01", campaign: "Ink" };

  it("is its first column, in words, unless others are its title", () => {
    expect(titleOf([day, campaign], row)).toBe("the day 2026-12-01");
    expect(titleOf([day, { ...campaign, phone: "title" }], row)).toBe("Ink");
  });

  it("is all columns of its title: rows of one day are told apart", () => {
    const titles = [
      { ...day, phone: "title" },
      { ...campaign, phone: "title" },
    ] as const;
    expect(titleOf(titles, row)).toBe("the day 2026-12-01, Ink");
    expect(titleOf(titles, { ...row, campaign: null })).toBe("the day 2026-12-01");
    expect(titleOf([campaign], { ...row, campaign: null })).toBe("row");
  });
});
