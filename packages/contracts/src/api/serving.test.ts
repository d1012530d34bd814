import { describe, expect, it } from "@jest/globals";
import { InvalidInput } from "../http-error.ts";
import { impressionRequest, matchRequest } from "./serving.ts";

const smallest = { game_id: "g", user_id: "u", game_context: {} };

function refusal(read: () => unknown): InvalidInput {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("match request", () => {
  it("keeps what it knows and nothing else", () => {
    const body = JSON.parse(
      '{"game_id":"g","user_id":"u","game_context":{"mood_tags":["calm"," "],"x":1},"__proto__":{"session_id":"s"},"y":2}',
    );
    const request = matchRequest(body);
    expect(request).toEqual({ game_id: "g", user_id: "u", game_context: { mood_tags: ["calm"] } });
    expect(request.session_id).toBeUndefined();
  });

  it("reads null and blank optional fields as absent", () => {
    const request = matchRequest({
      ...smallest,
      session_id: " ",
      player_geo: { country_code: null, city_name: "" },
      game_context: { theme_id: "", narrative: null },
    });
    expect(request).toEqual({ ...smallest, player_geo: {} });
  });

  it("returns the country code in upper case", () => {
    expect(matchRequest({ ...smallest, player_geo: { country_code: "de" } }).player_geo).toEqual({
      country_code: "DE",
    });
  });

  const refused: [string, unknown, 400 | 422, string][] = [
    ["no object", [], 400, "object"],
    ["null", null, 400, "object"],
    ["no game", { user_id: "u", game_context: {} }, 400, "game_id is required"],
    ["context null", { ...smallest, game_context: null }, 400, "game_context is required"],
    ["context a list", { ...smallest, game_context: [] }, 400, "game_context must be an object"],
    ["number as text", { ...smallest, user_id: 5 }, 400, "user_id must be text"],
    ["blank player", { ...smallest, user_id: "  " }, 400, "user_id"],
    ["player of 201 characters", { ...smallest, user_id: "x".repeat(201) }, 422, "at most 200 characters"],
    [
      "control character",
      { ...smallest, game_id: "a\nb" },
      400,
      "has no control characters, but a text of 3 characters was sent",
    ],
    ["half a character", { ...smallest, user_id: "\ud800" }, 400, "user_id must be text of whole Unicode"],
    ["NUL", { ...smallest, game_context: { actions: ["a\0"] } }, 400, "game_context.actions[0]"],
    ["blank for a place", { ...smallest, player_geo: "" }, 400, "player_geo must be an object"],
    ["blank for a number", { ...smallest, player_geo: { lat: "", lng: 0 } }, 400, "player_geo.lat must be"],
    ["blank for a list", { ...smallest, game_context: { mood_tags: "" } }, 400, "mood_tags must be a list"],
    [
      "a body that is no object",
      [1, 2],
      400,
      "The body must be a JSON object, but a list of 2 entries was sent.",
    ],
    ["unknown country", { ...smallest, player_geo: { country_code: "XX" } }, 400, "player_geo.country_code"],
    ["lat alone", { ...smallest, player_geo: { lat: 1 } }, 400, "player_geo.lng is required"],
    ["lat out of range", { ...smallest, player_geo: { lat: 91, lng: 0 } }, 422, "from -90 to 90"],
    ["lat as text", { ...smallest, player_geo: { lat: "1", lng: 0 } }, 400, "player_geo.lat"],
    ["tag no text", { ...smallest, game_context: { mood_tags: [1] } }, 400, "game_context.mood_tags[0]"],
    [
      "tag no text behind blank ones",
      { ...smallest, game_context: { mood_tags: ["", "calm", " ", 1] } },
      400,
      "game_context.mood_tags[3] must be text of at most 200 characters that is not blank, but 1 was sent",
    ],
    ["too many tags", { ...smallest, game_context: { mood_tags: Array(101).fill("x") } }, 422, "100"],
    ["long narrative", { ...smallest, game_context: { narrative: "x".repeat(2001) } }, 422, "2000"],
  ];
  it.each(refused)("refuses: %s", (_name, body, status, part) => {
    const error = refusal(() => matchRequest(body));
    expect(error.status).toBe(status);
    expect(error.message).toContain(part);
  });

  it("counts characters, not UTF-16 units", () => {
    expect(matchRequest({ ...smallest, user_id: "😀".repeat(200) }).user_id).toHaveLength(400);
  });
});

describe("impression request", () => {
  const body = { campaign_id: "c", creative_id: "d", game_id: "g" };

  it("takes a match or none", () => {
    expect(impressionRequest({ ...body, match_id: null })).toEqual(body);
    expect(impressionRequest({ ...body, match_id: "mat_1" }).match_id).toBe("mat_1");
  });

  it("refuses a blank match", () => {
    expect(refusal(() => impressionRequest({ ...body, match_id: "" })).status).toBe(400);
  });
});
