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
  it("names the setup token while the first sign-up needs it", () => {
    expect(readyText(stack, undefined, "a-setup-token")).toContain("Setup token a-setup-token");
    expect(readyText(stack, undefined, "")).not.toContain("Setup token");
  });
});
