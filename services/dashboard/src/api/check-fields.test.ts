import { campaignCreateSchema, creativeCreateSchema, placementCreateSchema } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import { checkFields, type FieldSchema } from "./check-fields.ts";

const campaign = campaignCreateSchema as unknown as FieldSchema;
const inDollars = (field: string, value: number) =>
  field.endsWith("_cents") ? `$${value / 100}` : String(value);

describe("checkFields", () => {
  it("finds nothing wrong with a campaign that can be sent", () => {
    const values = { name: "Night watch", budget_cents: 2_000, cpm_bid_cents: 500, start_date: "2026-12-01" };
    expect(checkFields(campaign, values)).toEqual({});
  });

  it("names every field that is missing", () => {
    expect(Object.keys(checkFields(campaign, {}))).toEqual(["name", "budget_cents", "cpm_bid_cents"]);
  });

  it("says the range in the words of the form", () => {
    const values = { name: "Night watch", budget_cents: 2_000, cpm_bid_cents: 99 };
    expect(checkFields(campaign, values, inDollars)).toEqual({
      cpm_bid_cents: "Enter a number from $1 to $100.",
    });
  });

  it("refuses a fraction of a cent, a blank name and a malformed date", () => {
    const values = { name: " ", budget_cents: 1.5, cpm_bid_cents: 500, end_date: "soon" };
    expect(checkFields(campaign, values)).toEqual({
      name: "Fill in this field.",
      budget_cents: "Enter a whole number.",
      end_date: "Enter a date, such as 2026-12-01.",
    });
  });

  it("looks into lists and choices", () => {
    const creative = creativeCreateSchema as unknown as FieldSchema;
    const values = { creative_type: "poster", brand_name: "Hearthwell", alt_hooks: ["A line", ""] };
    expect(Object.keys(checkFields(creative, values))).toEqual(["creative_type", "alt_hooks"]);
    const placement = placementCreateSchema as unknown as FieldSchema;
    expect(checkFields(placement, { creator_id: "studio", placement_types: [] })).toEqual({
      placement_types: "Choose at least one.",
    });
  });

  it("lets optional fields be cleared", () => {
    const values = { name: "Night watch", budget_cents: 2_000, cpm_bid_cents: 500, daily_cap_cents: null };
    expect(checkFields(campaign, values)).toEqual({});
  });
});
