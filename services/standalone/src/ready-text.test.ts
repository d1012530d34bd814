import { describe, expect, it } from "@jest/globals";
import { readyText } from "./ready-text.ts";

const stack = {
  baseUrl: "http://127.0.0.1:8080/api",
  managementUrl: "http://127.0.0.1:8081/api",
  matchUrls: ["http://127.0.0.1:8082/api"],
  databaseUrl: "postgres://127.0.0.1/x",
  redisUrl: "redis://127.0.0.1",
  processes: [],
};

describe("what npm start prints", () => {
  it.each([
    [false, "a-setup-token", "Setup token a-setup-token", "becomes the operator"],
    [false, "", "The first who signs up on the dashboard becomes the operator", ""],
  ])("says who becomes the operator: %s %j", (hasOperator, setupToken, ...expected) => {
    const text = readyText(stack, undefined, { hasOperator, setupToken });
    for (const words of expected) expect(text).toContain(words);
  });

  it("names neither once there is an operator", () => {
    const text = readyText(stack, undefined, { hasOperator: true, setupToken: "a-setup-token" });
    expect(text).not.toMatch(/operator|Setup token/);
  });
});
