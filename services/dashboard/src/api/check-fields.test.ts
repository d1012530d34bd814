import {
  campaignCreateSchema,
  creativeCreateSchema,
  matchRequestSchema,
  placementCreateSchema,
} from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import { fieldNamedIn } from "./api-error.ts";
import { checkFields, type FieldSchema, formFields } from "./check-fields.ts";

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

  it("counts the decimals of a share", () => {
    const placement = placementCreateSchema as unknown as FieldSchema;
    const shareOf = (revenue_share_pct: number) =>
      checkFields(placement, {
        creator_id: "studio",
        placement_types: ["product_mention"],
        revenue_share_pct,
      });
    expect(shareOf(12.345)).toEqual({ revenue_share_pct: "Use at most 2 decimals." });
    for (const share of [0, 0.07, 12.34, 70, 100]) expect(shareOf(share)).toEqual({});
  });

  it("says which characters a game ID has, and finds invisible texts and malformed dates", () => {
    const request = matchRequestSchema as unknown as FieldSchema;
    const gameOf = (game_id: string) => checkFields(request, { game_id, user_id: "u", game_context: {} });
    expect(gameOf("fjord 2\u00e9")).toEqual({});
    expect(gameOf("fjord\t2")).toEqual({
      game_id: "Use visible characters and spaces only: no tabs, line breaks or other control characters.",
    });
    const values = {
      name: "\u200b",
      budget_cents: 2_000,
      cpm_bid_cents: 500,
      start_date: "2026-12-01 or so",
    };
    expect(checkFields(campaign, values)).toEqual({
      name: "Fill in this field.",
      start_date: "Enter a date, such as 2026-12-01.",
    });
  });

  it("counts characters as the server does", () => {
    const named = (name: string) => checkFields(campaign, { name, budget_cents: 2_000, cpm_bid_cents: 500 });
    expect(named("🍺".repeat(200))).toEqual({});
    expect(named("🍺".repeat(201))).toEqual({ name: "Use at most 200 characters; this has 201." });
  });

  it("groups the digits of its numbers, and rounds none", () => {
    const schema: FieldSchema = {
      properties: {
        line: { type: "string", maxLength: 2_000 },
        tags: { type: "array", maxItems: 1_000 },
        count: { type: "integer", minimum: 1, maximum: 1_000_000_000 },
        weight: { type: "number", minimum: 0.000_1 },
      },
    };
    const values = { line: "x".repeat(2_001), tags: Array(1_001).fill("x"), count: 0, weight: 0 };
    expect(checkFields(schema, values)).toEqual({
      line: "Use at most 2,000 characters; this has 2,001.",
      tags: "Use at most 1,000 entries; there are 1,001.",
      count: "Enter a number from 1 to 1,000,000,000.",
      weight: "Enter 0.0001 or more.",
    });
  });

  it("looks into objects, and names their fields by path", () => {
    const request = matchRequestSchema as unknown as FieldSchema;
    const values = { game_id: "fjord", user_id: "u", game_context: { location: "x".repeat(201) } };
    expect(checkFields(request, values)).toEqual({
      "game_context.location": "Use at most 200 characters; this has 201.",
    });
    const fields = formFields(request, ["game_context.location"]);
    expect(fields).toEqual(expect.arrayContaining(["game_id", "game_context.location"]));
    expect(fieldNamedIn("game_context.location must be text", fields)).toBe("game_context.location");
    expect(fieldNamedIn("player_geo.city_name must be text", fields)).toBeUndefined();
  });

  it("lets optional fields be cleared", () => {
    const values = { name: "Night watch", budget_cents: 2_000, cpm_bid_cents: 500, daily_cap_cents: null };
    expect(checkFields(campaign, values)).toEqual({});
  });

  it("lets no other field be cleared by a change", () => {
    const budgetAlone: FieldSchema = { properties: { budget_cents: { type: "integer", minimum: 1 } } };
    expect(checkFields(budgetAlone, {})).toEqual({});
    expect(checkFields(budgetAlone, { budget_cents: null })).toEqual({
      budget_cents: "Fill in this field.",
    });
  });
});
