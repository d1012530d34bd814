import { describe, expect, it } from "@jest/globals";
import { prepareContext } from "../context/prepared-context.ts";
import { comparableSet } from "../text/equality.ts";
import type { BlocklistRule } from "../types/campaign.ts";
import type { GameContext } from "../types/request.ts";
import { blocklistAdmits, compileBlocklist } from "./blocklist.ts";
import { categoriesAdmit } from "./categories.ts";
import { compileTags, tagsAdmit } from "./tags.ts";

const scene: GameContext = {
  theme_id: "Dark_Forest",
  category: "RPG",
  narrative: "The Storm breaks over Castle Rock; whisky flows.",
  mood_tags: ["Tense", " "],
  location: "Old Tavern",
  actions: ["Sword Fight"],
};

describe("rule 5: blocklist", () => {
  it.each<[BlocklistRule["rule_type"], string, boolean]>([
    ["keyword", "WHISKY", false],
    ["keyword", "castle rock", false],
    ["keyword", "whisk", true],
    ["keyword", "forest", false],
    ["keyword", "rpg", false],
    ["keyword", "tavern", false],
    ["keyword", "tense", false],
    ["keyword", "sword", false],
    ["keyword", "tavern sword", true],
    ["keyword", "…", true],
    ["theme", " dark_forest", false],
    ["theme", "dark forest", true],
    ["category", "rpg", false],
    ["category", "tense", true],
    ["action", "sword fight", false],
    ["action", "sword", true],
    ["game_id", "Game-1", false],
    ["game_id", "game-1", true],
  ])("%s %j: admitted %s", (rule_type, value, admitted) => {
    expect(blocklistAdmits(compileBlocklist([{ rule_type, value }]), prepareContext(scene), "Game-1")).toBe(
      admitted,
    );
  });

  it("admits everything when empty, and blocks an empty context only by game_id", () => {
    expect(blocklistAdmits(compileBlocklist([]), prepareContext(scene), "g")).toBe(true);
    const types = ["keyword", "theme", "category", "action"] as const;
    const all = compileBlocklist(types.map((rule_type) => ({ rule_type, value: "x" })));
    expect(blocklistAdmits(all, prepareContext({ theme_id: " ", narrative: null }), "x")).toBe(true);
  });
});

describe("rule 6: target_categories filter", () => {
  it.each([
    { targets: [], category: null, admitted: true },
    { targets: [], category: "RPG", admitted: true },
    { targets: ["puzzle", " rpg "], category: "RPG", admitted: true },
    { targets: ["puzzle"], category: "RPG", admitted: false },
    { targets: ["puzzle"], category: null, admitted: false },
    { targets: ["puzzle"], category: " ", admitted: false },
  ])("$targets of $category: $admitted", ({ targets, category, admitted }) => {
    expect(categoriesAdmit(comparableSet(targets), prepareContext({ category }).category)).toBe(admitted);
  });
});

describe("rule 7: target_tags filter", () => {
  it.each<[string[], boolean]>([
    [[], true],
    [["dark_forest"], true],
    [["rpg"], true],
    [["old tavern"], true],
    [["TENSE "], true],
    [["sword fight"], true],
    [["storm"], true],
    [["castle rock"], true],
    [["nothing", "storm"], true],
    [["forest"], false],
    [["tavern"], false],
    [["sword"], false],
    [["stor"], false],
    [["…"], false],
  ])("%j: %s", (tags, admitted) => {
    expect(tagsAdmit(compileTags(tags), prepareContext(scene))).toBe(admitted);
  });

  it("admits no campaign with tags when the context is empty", () => {
    expect(tagsAdmit(compileTags(["storm"]), prepareContext({}))).toBe(false);
  });
});
