import { describe, expect, it } from "@jest/globals";
import { CREATIVE_TYPES } from "../../scene/creative-types.ts";
import { reasonAdvice, reasonFixes } from "./reason-advice.ts";

const ALL_TYPES = CREATIVE_TYPES.map(({ value }) => value);
const OPEN_GAME = {
  is_active: true,
  placement_types: ALL_TYPES,
  blocked_categories: [],
  blocked_advertisers: [],
};
const pathsOf = (rules: Parameters<typeof reasonFixes>[2]) =>
  reasonFixes("no_eligible_campaign", "a game", rules).map(({ link }) => link?.path);

describe("what helps where no campaign fits", () => {
  it("names the types and categories that the settings keep out", () => {
    const [settings] = reasonFixes("no_eligible_campaign", "a game", {
      ...OPEN_GAME,
      placement_types: ["narrative_hook", "location_brand"],
      blocked_categories: ["alcohol", "gambling"],
    });
    expect(settings).toEqual({
      helps:
        "This game takes no product mention or character reference: accept more types of ads. It keeps out campaigns for alcohol and gambling: block fewer categories.",
      link: { label: "Change the settings", path: "/games/a%20game/settings" },
    });
  });

  it("leads to the words alone where the game keeps nothing out, or its rules are unknown", () => {
    expect(pathsOf(OPEN_GAME)).toEqual(["/games/a%20game/words"]);
    expect(pathsOf(undefined)).toEqual(["/games/a%20game/words"]);
    expect(pathsOf({ ...OPEN_GAME, blocked_advertisers: ["adv_1"] })).toEqual([
      "/games/a%20game/advertisers",
      "/games/a%20game/words",
    ]);
  });
});

describe("what helps where ads are off", () => {
  it("is to turn them on, unless they are on again", () => {
    const [off] = reasonFixes("placement_disabled", "keep", { ...OPEN_GAME, is_active: false });
    expect(off?.link?.path).toBe("/games/keep");
    expect(reasonFixes("placement_disabled", "keep", OPEN_GAME)).toEqual([
      { helps: "Ads are on again: the next request can get one." },
    ]);
  });
});

describe("what helps where no campaign can hold the price", () => {
  it("names the developer's own matches without an impression", () => {
    expect(reasonAdvice("budget").means).toContain("held for other matches");
    const [{ helps } = { helps: "" }] = reasonFixes("budget", "keep", OPEN_GAME);
    expect(helps).toContain("matches of your account");
    expect(helps).toContain("Record impressions as soon as they are seen");
  });
});
