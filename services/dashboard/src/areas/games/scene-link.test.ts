import { describe, expect, it } from "@jest/globals";
import { distinctScenes, sceneAndReason, sceneOf, sceneParameters, sceneSummary } from "./scene-link.ts";

describe("the scene in an address", () => {
  it("comes back as it was", () => {
    const tested = {
      game: "moonlit keep/1",
      country: "DE",
      scene: {
        location: "tavern",
        narrative: "Rain & fog",
        mood_tags: ["calm", "dark|light"],
        actions: ["drink"],
      },
    };
    expect(sceneOf(new URLSearchParams(sceneParameters(tested).toString()))).toEqual(tested);
  });

  it("leaves out what the scene does not name", () => {
    const parameters = sceneParameters({ game: "", country: null, scene: { location: "", mood_tags: [] } });
    expect(parameters.toString()).toBe("");
    expect(sceneOf(parameters)).toEqual({ game: "", country: null, scene: {} });
  });
});

describe("distinctScenes", () => {
  const at = (time: string, game_id: string, location: string, reason = "budget") => ({
    at: time,
    game_id,
    reason,
    country_code: null,
    game_context: { location },
  });

  it("keeps the first of equal scenes of a game, in their order", () => {
    const [cave, inn, otherCave] = [at("3", "keep", "cave"), at("2", "keep", "inn"), at("1", "moor", "cave")];
    expect(distinctScenes([cave, inn, at("2", "keep", "cave"), otherCave])).toEqual([cave, inn, otherCave]);
  });

  it("keeps one for each reason where that is asked for", () => {
    const [capped, unfit] = [at("3", "keep", "cave", "session_cap"), at("2", "keep", "cave")];
    expect(distinctScenes([capped, unfit, at("1", "keep", "cave")], sceneAndReason)).toEqual([capped, unfit]);
  });
});

describe("sceneSummary", () => {
  it("joins the words of the scene", () => {
    expect(sceneSummary({ location: "tavern", mood_tags: ["calm"], actions: ["drink"] })).toBe(
      "Tavern · calm · drink",
    );
    expect(sceneSummary({ narrative: "Rain." })).toBe("A scene that names nothing");
  });
});
