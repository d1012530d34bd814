import { describe, expect, it } from "@jest/globals";
import { type SceneContext, sceneText, wordsOf } from "./scene.ts";

describe("a word", () => {
  it.each([
    ["Alice", "letter-to-alice"],
    ["alice", "Letter-To-ALICE"],
    ["Éva", "letter-to-éva"],
    ["Al", " aL "],
    [" al", "AL"],
    ["jose\u0301-42", "letter-to-jos\u00e9-42"],
    ["Ｗｉｄｅ9", "wide9"],
    ["ΝΙΚΟΣ", "ΝΙΚΟΣ'x"],
    ["alice", "al\u200bice"],
    ["\u200b alice", "letter-to-alice"],
    ["al", "\u200b al"],
    ["straße-9", "to STRASSE-9"],
  ])("that names the player %j in another form is skipped: %j", (player, theme) => {
    expect([...wordsOf({ theme_id: theme, location: "Tavern" }, [player])]).toEqual(["location:tavern"]);
  });

  it("that only contains a very short player id stays", () => {
    expect([...wordsOf({ theme_id: "Altar" }, ["al"])]).toEqual(["theme:altar"]);
  });

  it("that a scene names twice is one word of that scene", () => {
    expect([...wordsOf({ actions: ["Fish", "fish ", "sail"] }, [])]).toEqual(["action:fish", "action:sail"]);
  });
});

describe("a scene", () => {
  const stored = (context: SceneContext) =>
    sceneText({ atMs: 0, reason: "budget", countryCode: null, context }, []);

  it("that is cut ends with a whole character", () => {
    const narrative = `${"x".repeat(499)}🍺 and more`;
    expect(JSON.parse(stored({ narrative }) ?? "").context.narrative).toBe("x".repeat(499));
  });

  it("is not stored beyond 3 000 bytes, however many characters these are", () => {
    expect(stored({ actions: Array(15).fill("雨".repeat(60)) })).toBeDefined();
    expect(stored({ actions: Array(17).fill("雨".repeat(60)) })).toBeUndefined();
  });

  it.each([
    ["Alice", "letter-to-alice", "letter-to-[player]"],
    ["alice", "ALICE meets Alice", "[player] meets [player]"],
    ["(a.b)*$&", "to (A.B)*$&, not (axb)", "to [player], not (axb)"],
    ["Éva", "éva", "[player]"],
    ["İlayda", "İLAYDA and Ilayda", "[player] and ilayda"],
    [" alice\t", "letter-to-alice", "letter-to-[player]"],
    ["player \ud800", "player \ud800", "[player]"],
    ["al", "Altar of Al", "Altar of Al"],
    ["al", " AL ", "[player]"],
    ["jos\u00e9-42", "To Jose\u0301-42 of Rome", "to [player] of rome"],
    ["Ｗｉｄｅ9", "Wide9", "[player]"],
    ["wide9", "Ｗｉｄｅ9", "[player]"],
    ["ΝΙΚΟΣ", "ΝΙΚΟΣ'x", "[player]'x"],
    ["alice", "Al\u200bice", "[player]"],
    ["\u200b", "Caf\u00e9", "Caf\u00e9"],
  ])("hides the player %j in %j", (player, narrative, shown) => {
    const scene = { atMs: 0, reason: "budget", countryCode: null, context: { narrative } };
    expect(JSON.parse(sceneText(scene, [player, undefined]) ?? "")).toEqual({
      ...scene,
      context: { narrative: shown },
    });
  });
});
