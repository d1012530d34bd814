import { describe, expect, it } from "@jest/globals";
import { stage } from "./vocabulary.ts";

describe("stage", () => {
  it("shows what the overrides say", () => {
    const staging = stage({
      location: "The old Tavern",
      lighting: "candle-lit, warm",
      effects: "soft rain and fog",
      camera: "slow close-up",
      mood: "cozy",
    });
    expect(staging).toMatchObject({
      place: "tavern",
      light: "candle",
      effects: ["rain", "fog"],
      camera: "close",
      mood: "calm",
    });
    expect(staging.overrides.every(({ isShown }) => isShown)).toBe(true);
  });

  it.each([
    ["location", "herbalist"],
    ["mood", "bustling"],
    ["mood", "restless"],
    ["mood", "weary"],
  ])("shows what the demo's campaigns say: %s %s", (name, value) => {
    expect(stage({ [name]: value }).overrides).toEqual([{ name, value, isShown: true }]);
  });

  it("keeps what it does not know, marked as such", () => {
    const staging = stage({ lighting: "ultraviolet", weather: "acid" });
    expect(staging.light).toBeUndefined();
    expect(staging.overrides).toEqual([
      { name: "lighting", value: "ultraviolet", isShown: false },
      { name: "weather", value: "acid", isShown: false },
    ]);
  });

  it("takes the scene's own place where the overrides name none", () => {
    expect(stage({ mood: "tense" }, "harbour at night").place).toBe("harbour");
    expect(stage({ location: "forest" }, "harbour").place).toBe("forest");
  });

  it("names a location that the drawing does not show, because the story stays where it is", () => {
    const staysInPlace = { staysInPlace: true };
    for (const location of ["forest", "a hall of mirrors on Titan-9"]) {
      expect(stage({ location }, "tavern", staysInPlace)).toMatchObject({
        place: "tavern",
        overrides: [{ name: "location", value: location, isShown: false }],
      });
    }
    expect(stage({ location: "an inn" }, "tavern", staysInPlace).overrides).toMatchObject([
      { isShown: true },
    ]);
    expect(stage({ location: "forest" }, "nowhere", staysInPlace).place).toBe("forest");
  });

  it("compares whole words", () => {
    expect(stage({ location: "barrack" }).place).toBeUndefined();
  });
});
