import { describe, expect, it } from "@jest/globals";
import { sceneOf, sceneParameters, sceneSummary } from "./scene-link.ts";

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

describe("sceneSummary", () => {
  it("joins the words of the scene", () => {
    expect(sceneSummary({ location: "tavern", mood_tags: ["calm"], actions: ["drink"] })).toBe(
      "Tavern · calm · drink",
    );
    expect(sceneSummary({ narrative: "Rain." })).toBe("A scene that names nothing");
  });
});
