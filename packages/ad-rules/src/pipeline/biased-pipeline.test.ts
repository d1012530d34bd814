import { expect, it } from "@jest/globals";
import { affinities } from "../../tests/builders.ts";
import { biasedPipeline } from "./biased-pipeline.ts";

it("takes the heaviest affinity of each of lighting, effects, camera, mood and location", () => {
  const own = affinities(
    ["lighting", "Neon", 1],
    ["lighting", "candle", 2],
    ["effects", "rain"],
    ["camera", "close-up"],
    ["mood", "tense"],
    ["location", "Docks"],
    ["theme", "noir", 3],
    ["action", "fight", 3],
    ["category", "rpg", 3],
  );
  expect(biasedPipeline(own)).toEqual({
    lighting: "candle",
    effects: "rain",
    camera: "close-up",
    mood: "tense",
    location: "Docks",
  });
});

it("takes the older of equal weights, and leaves out types without affinities", () => {
  expect(
    biasedPipeline(affinities(["mood", "older", 2], ["mood", "newer", 2], ["mood", "light", 1])),
  ).toEqual({
    mood: "older",
  });
  expect(biasedPipeline([])).toEqual({});
});
