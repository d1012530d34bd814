import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { affinities } from "../../tests/builders.ts";
import { affinityTypes } from "../../tests/worlds.ts";
import { prepareContext } from "../context/prepared-context.ts";
import { rankOf } from "../ranking/rank.ts";
import type { AffinityType } from "../types/campaign.ts";
import type { GameContext } from "../types/request.ts";
import { affinityParts, affinityScore, compileAffinities, highestAffinityScore } from "./affinity-score.ts";

const scene: GameContext = {
  theme_id: "Noir",
  category: "RPG",
  narrative: "Neon light over the harbor, a chase in slow motion; rain. Puzzle of a gloomy western.",
  mood_tags: ["tense"],
  location: "Docks",
  actions: ["fight"],
};

describe("affinity score", () => {
  it.each<[AffinityType, string, number, string]>([
    ["action", "FIGHT", 2, "action ∈ actions"],
    ["location", "docks ", 2, "location = location"],
    ["theme", "noir", 2, "theme = theme_id"],
    ["mood", "Tense", 2, "mood ∈ mood_tags"],
    ["category", "rpg", 2, "category = category"],
    ["lighting", "neon light", 2, "lighting as whole words in narrative"],
    ["effects", "rain", 2, "effects as whole words in narrative"],
    ["camera", "slow motion", 2, "camera as whole words in narrative"],
    ["action", "chase", 1, "an action in narrative, at half weight"],
    ["location", "harbor", 1, "a location in narrative, at half weight"],
    ["theme", "western", 1, "a theme in narrative, at half weight"],
    ["mood", "gloomy", 1, "a mood in narrative, at half weight"],
    ["category", "puzzle", 0, "a category is not sought in narrative"],
    ["effects", "rai", 0, "no whole word"],
    ["lighting", "tense", 0, "lighting is not compared with fields"],
    ["mood", "fight", 0, "each type only looks at its own field"],
  ])("%s %j of weight 2 contributes %d: %s", (type, value, contribution) => {
    const compiled = compileAffinities(affinities([type, value, 2]));
    expect(affinityScore(compiled, prepareContext(scene))).toBe(contribution);
    expect(affinityParts(compiled, prepareContext(scene))).toEqual([
      { affinity_id: "aff_0", affinity_type: type, affinity_value: value, contribution },
    ]);
  });

  it("is the sum of the weights, without the epsilon of floating point", () => {
    const compiled = compileAffinities(
      affinities(["mood", "tense", 0.1], ["action", "fight", 0.2], ["mood", "calm", 3]),
    );
    expect(affinityScore(compiled, prepareContext(scene))).toBe(0.3);
    expect(affinityScore([], prepareContext(scene))).toBe(0);
    expect(affinityScore(compiled, prepareContext({}))).toBe(0);
  });

  it("counts the heaviest of affinities with the same type and an equal value, of equal weights the oldest", () => {
    const compiled = compileAffinities(
      affinities(
        ["mood", "tense", 1],
        ["mood", "TENSE ", 2],
        ["mood", "ｔｅｎｓｅ", 2],
        ["theme", "tense", 3],
      ),
    );
    const context = prepareContext({ mood_tags: ["tense"] });
    expect(affinityScore(compiled, context)).toBe(2);
    expect(highestAffinityScore(compiled)).toBe(5);
    expect(affinityParts(compiled, context).map((part) => part.contribution)).toEqual([0, 2, 0, 0]);
  });

  it("never exceeds the highest score, in any context", () => {
    const entry = fc.tuple(
      fc.constantFrom(...affinityTypes),
      fc.constantFrom("fight", "tense", "noir", "rain", "harbor"),
      fc.double({ min: 0.1, max: 3, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 50 }), fc.integer({ min: 100, max: 10_000 }), (list, bid) => {
        const own = affinities(...list);
        const score = affinityScore(compileAffinities(own), prepareContext(scene));
        const highest = highestAffinityScore(compileAffinities(own));
        expect(score).toBeLessThanOrEqual(highest);
        expect(rankOf(bid, score)).toBeLessThanOrEqual(rankOf(bid, highest));
      }),
    );
  });
});
