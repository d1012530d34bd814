import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Caller, campaignBody, type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
let caller: Caller;
let path: string;
beforeAll(async () => {
  harness = await startHarness();
  caller = await harness.advertiser();
  const { body } = await caller.post("/campaigns", campaignBody).expect(201);
  path = `/campaigns/${body.id}/blocklist`;
});
afterAll(() => harness.stop());

describe("a blocklist rule", () => {
  const accepted: [string, object][] = [
    ["a keyword", { rule_type: "keyword", value: "war" }],
    ["a phrase", { rule_type: "keyword", value: "World War 2!" }],
    ["a keyword of digits", { rule_type: "keyword", value: "1984" }],
    ["a keyword in a script without spaces", { rule_type: "keyword", value: "戦争" }],
    ["a theme", { rule_type: "theme", value: "horror" }],
    ["a theme of signs alone", { rule_type: "theme", value: "!!!" }],
    ["a category", { rule_type: "category", value: "Gambling" }],
    ["an action", { rule_type: "action", value: "smoke" }],
    ["a game", { rule_type: "game_id", value: "Game-1" }],
    ["a value as it was given", { rule_type: "theme", value: "  Dark Fantasy " }],
    ["the longest value", { rule_type: "action", value: "x".repeat(200) }],
    ["200 characters beyond the first plane", { rule_type: "theme", value: "🎲".repeat(200) }],
  ];
  it.each(accepted)("is created: %s", async (_name, rule) => {
    const { body } = await caller.post(path, rule).expect(201);
    expect(body).toMatchObject(rule);
    await caller.delete(`${path}/${body.id}`).expect(204);
  });

  const refused: [string, object, number, string][] = [
    ["no rule_type", { value: "war" }, 400, "rule_type is required"],
    ["no value", { rule_type: "keyword" }, 400, "value is required"],
    ["a value of null", { rule_type: "keyword", value: null }, 400, "value is required"],
    [
      "an unknown type",
      { rule_type: "word", value: "war" },
      422,
      "keyword, theme, category, action, game_id",
    ],
    ["a type that is no text", { rule_type: 5, value: "war" }, 400, "rule_type"],
    ["a value that is no text", { rule_type: "keyword", value: 5 }, 400, "value must be text"],
    ["an empty value", { rule_type: "theme", value: "" }, 400, "value must be text"],
    ["a blank value", { rule_type: "theme", value: " \t" }, 400, "not blank"],
    ["a long value", { rule_type: "theme", value: "x".repeat(201) }, 422, "at most 200"],
    ["a keyword without letter or digit", { rule_type: "keyword", value: "!?" }, 400, "a letter or a digit"],
    ["a keyword of an emoji", { rule_type: "keyword", value: "🔥" }, 400, "a letter or a digit"],
    ["a keyword of a mark alone", { rule_type: "keyword", value: "\u0301" }, 400, "a letter or a digit"],
    ["a game_id with control characters", { rule_type: "game_id", value: "a\nb" }, 400, "game_id rule"],
    ["NUL in a value", { rule_type: "theme", value: "a\0b" }, 400, "NUL"],
  ];
  it.each(refused)("is refused with %s", async (_name, rule, status, part) => {
    const answer = await caller.post(path, rule).expect(status);
    expect(answer.body).toEqual({ detail: expect.stringContaining(part) });
  });
});
