import { readFileSync } from "node:fs";
import { campaignCreateSchema } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";

const form = readFileSync(new URL("./campaign-fields.tsx", import.meta.url), "utf8");

describe("the form of a campaign", () => {
  it.each(Object.keys(campaignCreateSchema.properties))("has a field for %s", (name) => {
    expect(form).toMatch(new RegExp(`form(, |\\.problem\\(|\\.set\\()"${name}"`));
  });
});
