import type { Affinity, Creative } from "@diegetic/ad-rules";
import { describe, expect, it } from "@jest/globals";
import { narrativeExamples, simulate } from "./simulate.ts";

let made = 0;
function affinity(affinity_type: Affinity["affinity_type"], affinity_value: string, weight = 1): Affinity {
  return { affinity_id: `aff_${made++}`, affinity_type, affinity_value, weight };
}
const creative: Creative = {
  creative_id: "crt_1",
  creative_type: "product_mention",
  brand_name: "Ember",
  product_name: null,
  tagline: null,
  narrative_hook: null,
  alt_hooks: [],
  tone: "neutral",
  max_uses_per_game: 3,
};

function scoresOf(affinities: Affinity[], narrativeFunction?: string, mood?: string) {
  const simulation = simulate({ creatives: [creative], affinities }, { narrativeFunction, mood });
  return { ...Object.fromEntries(simulation?.scores ?? []), total: simulation?.totalScore };
}

describe("the scene of a simulation", () => {
  const cases: [string, Affinity[], [string?, string?], object][] = [
    ["nothing", [affinity("mood", "calm")], [], { mood: 0, total: 0 }],
    ["mood as a mood tag", [affinity("mood", "Calm ", 2)], [undefined, "calm"], { mood: 2, total: 2 }],
    ["an unknown mood", [affinity("mood", "eerie")], [undefined, "EERIE"], { mood: 1, total: 1 }],
    ["the function as theme", [affinity("theme", "quest", 0.3)], ["Quest"], { theme: 0.3, total: 0.3 }],
    ["the function as location", [affinity("location", "a tavern")], ["A Tavern"], { location: 1, total: 1 }],
    ["the function as action", [affinity("action", "fight", 3)], ["fight"], { action: 3, total: 3 }],
    [
      "the function as narrative, half where it is not the whole",
      [affinity("theme", "quest"), affinity("lighting", "candle light", 2)],
      ["the quest by candle-light"],
      { theme: 0.5, lighting: 2, total: 2.5 },
    ],
    ["a mood in the narrative", [affinity("mood", "tense")], ["a tense chase"], { mood: 0.5, total: 0.5 }],
    ["no category", [affinity("category", "rpg")], ["rpg", "rpg"], { category: 0, total: 0 }],
    [
      "sums by type without dust",
      [affinity("theme", "x y", 0.1), affinity("theme", "y", 0.4), affinity("mood", "m", 0.3)],
      ["x y", "m"],
      { theme: 0.3, mood: 0.3, total: 0.6 },
    ],
    ["no affinities", [], ["x", "m"], { total: 0 }],
  ];
  it.each(cases)("has %s", (_name, affinities, [narrativeFunction, mood], expected) => {
    expect(scoresOf(affinities, narrativeFunction, mood)).toEqual(expected);
  });
});

describe("a simulation", () => {
  it("shows the oldest creative with the line that a new session reads first", () => {
    const later = { ...creative, creative_id: "crt_2", narrative_hook: "later" };
    const found = simulate({ creatives: [creative, later], affinities: [] }, {});
    expect(found).toMatchObject({ creative: { creative_id: "crt_1" }, line: "Ember", pipeline: {} });
    expect(simulate({ creatives: [], affinities: [] }, {})).toBeUndefined();
  });

  it("biases the pipeline whatever the scene is", () => {
    const affinities = [
      affinity("lighting", "dim", 2),
      affinity("lighting", "bright", 2),
      affinity("mood", "calm"),
    ];
    expect(simulate({ creatives: [creative], affinities }, {})?.pipeline).toEqual({
      lighting: "dim",
      mood: "calm",
    });
  });
});

describe("examples", () => {
  it("begin with values of the campaign's affinities, each of which scores in full", () => {
    const affinities = [
      affinity("mood", "tense"),
      affinity("category", "rpg"),
      affinity("effects", "!!!"),
      affinity("location", "Tavern", 1.5),
      affinity("theme", "tavern "),
      affinity("camera", "close-up"),
    ];
    const examples = narrativeExamples(affinities);
    expect(examples.slice(0, 2)).toEqual(["Tavern", "close-up"]);
    expect(scoresOf(affinities, examples[0])).toMatchObject({ location: 1.5, theme: 1 });
    expect(scoresOf(affinities, examples[1])).toMatchObject({ camera: 1 });
    expect(narrativeExamples([]).length).toBeGreaterThanOrEqual(5);
  });

  it("are few, however many affinities there are", () => {
    const many = Array.from({ length: 50 }, (_, n) => affinity("theme", `theme ${n}`));
    expect(narrativeExamples(many).length).toBeLessThanOrEqual(15);
  });
});
