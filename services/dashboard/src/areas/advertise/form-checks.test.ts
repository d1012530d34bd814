import { describe, expect, it } from "@jest/globals";
import { budgetCoversSpent, datesInOrder, missingLine } from "./form-checks.ts";
import { geoFieldProblems, stateCodeAdvice } from "./geo-field-problems.ts";

describe("what a schema cannot say about a form", () => {
  it("is which dates fit together", () => {
    expect(datesInOrder({ start_date: "2026-12-01", end_date: "2026-11-30" })).toEqual({
      end_date: "The last day must not be before the first.",
    });
    expect(datesInOrder({ start_date: "2026-12-01T10:00:00Z", end_date: "2026-12-01" })).toEqual({});
    expect(datesInOrder({ start_date: "2026-12-01", end_date: null })).toEqual({});
  });

  it.each([
    ["2026-12-01T22:00:00-05:00", "2026-12-01", false],
    ["2026-12-01T22:00:00-05:00", "2026-12-02", true],
    ["2026-12-02T01:00:00+05:00", "2026-12-01", true],
    ["2026-12-01T10:00:00Z", "2026-12-01T09:59:59Z", false],
    ["2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z", true],
  ])("is whether a flight from %s to %s ends after it begins, by its real moments", (first, last, isFit) => {
    const found = datesInOrder({ start_date: first, end_date: last });
    expect(Object.keys(found)).toEqual(isFit ? [] : ["end_date"]);
  });

  it("is nothing about dates that are stored already", () => {
    const stored = { start_date: "2026-12-02", end_date: "2026-12-01" };
    expect(datesInOrder(stored, stored)).toEqual({});
    expect(Object.keys(datesInOrder({ ...stored, start_date: "2026-12-03" }, stored))).toEqual(["end_date"]);
  });

  it.each([
    [199, "Enter $2.00 or more: the spend so far, rounded up."],
    [200, undefined],
    [null, undefined],
    [Number.NaN, undefined],
  ])("is whether a budget of %s cents covers a spend of $2.00", (budget_cents, sentence) => {
    const stored = { budget_cents: 1_000, spent_cents: 200 };
    expect(budgetCoversSpent({ budget_cents }, stored).budget_cents).toBe(sentence);
    // As it is stored, it is not sent.
    expect(budgetCoversSpent({ budget_cents }, { ...stored, budget_cents: 199 })).toEqual({});
  });

  it.each([
    [{ target_type: "country" }, ["country_code"]],
    [{ target_type: "state", country_code: "DE" }, ["state_code"]],
    [{ target_type: "state", country_code: "DE", state_code: " " }, ["state_code"]],
    [{ target_type: "state", country_code: "DE", state_code: "be" }, []],
    [{ target_type: "state", country_code: "AT", state_code: "9" }, []],
    [{ target_type: "city", country_code: "DE" }, ["city_name"]],
    [{ target_type: "city", country_code: "DE", city_name: "Kiel" }, []],
    [{ target_type: "radius", lat: 0 }, ["lng", "radius_km"]],
    [{ target_type: "radius", lat: 0, lng: 0, radius_km: 5 }, []],
  ] as const)("is what %j lacks: %j", (place, missing) => {
    const found = Object.entries(geoFieldProblems(place, [])).filter(
      ([, sentence]) => sentence !== undefined,
    );
    expect(found.map(([field]) => field)).toEqual(missing);
  });

  it.each([
    ["California", "Most games send a code of up to three letters or digits, such as CA, not a name."],
    ["D.C.", "Most games send a code of up to three letters or digits, such as CA, not a name."],
    ["us-ca", "Most games leave out the country: CA."],
    ["ca", undefined],
    ["", undefined],
  ])("is not that games seldom send %p, but the form says so", (state_code, sentence) => {
    const target = { target_type: "state", country_code: "US", state_code } as const;
    expect(stateCodeAdvice(target)).toBe(sentence);
    if (state_code !== "") expect(geoFieldProblems(target, []).state_code).toBeUndefined();
  });

  it("is whether the campaign has the same place, either way round", () => {
    const none = { state_code: null, city_name: null, lat: null, lng: null, radius_km: null };
    const germany = {
      ...none,
      id: "geo_1",
      campaign_id: "camp_1",
      target_type: "country" as const,
      country_code: "DE",
      include: true,
      created_at: "2026-12-01T00:00:00.000Z",
    };
    const ofCountry = (country_code: string, include: boolean | undefined) =>
      geoFieldProblems({ target_type: "country", country_code, ...(include !== undefined && { include }) }, [
        germany,
      ]);
    expect(ofCountry("de", false)).toEqual({
      country_code: "The campaign includes this place: remove it from the list first.",
    });
    const listed = { country_code: "This place is in the list already." };
    expect([ofCountry("DE", true), ofCountry("DE", undefined)]).toEqual([listed, listed]);
    expect(ofCountry("FR", false)).toEqual({});
  });
});

describe("missingLine", () => {
  it.each([undefined, null, ""])("asks for the line of a narrative hook: %p", (line) => {
    expect(missingLine({ creative_type: "narrative_hook", narrative_hook: line })).toEqual({
      narrative_hook: "Write the line first.",
    });
  });

  it("accepts a narrative hook with a line, and every other type without one", () => {
    expect(missingLine({ creative_type: "narrative_hook", narrative_hook: "An ale." })).toEqual({});
    expect(missingLine({ creative_type: "product_mention" })).toEqual({});
  });
});
