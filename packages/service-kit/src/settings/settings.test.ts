import { describe, expect, it } from "@jest/globals";
import { apiSettings, processSettings, rateLimitSettings } from "./common.ts";
import { readSettings, SettingsError, textSetting } from "./settings.ts";
import { redisUrlSetting } from "./store-addresses.ts";

const shape = {
  settings: { ...processSettings("match"), ...apiSettings, ...rateLimitSettings },
  secrets: { redisUrl: redisUrlSetting, playerHashKey: textSetting("PLAYER_HASH_KEY", { minLength: 32 }) },
};
const enough = { REDIS_URL: "redis://127.0.0.1:6379", PLAYER_HASH_KEY: "x".repeat(32) };

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readSettings(environment, shape);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe("readSettings", () => {
  it("refuses a wrong variable of the tracing exporter, whether or not traces are exported", () => {
    const variables = { ...enough, OTEL_EXPORTER_OTLP_TIMEOUT: "abc" };
    const problems = ['OTEL_EXPORTER_OTLP_TIMEOUT is "abc": it must be a whole number from 1 to 600000.'];
    expect(problemsOf(variables)).toEqual(problems);
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
    expect(problemsOf({ ...variables, ...endpoint })).toEqual(problems);
  });

  it("falls back where a variable is unset or empty", () => {
    const { settings, secrets } = readSettings({ ...enough, PORT: "" }, shape);
    expect(settings).toMatchObject({ host: "127.0.0.1", port: 0, basePath: "/api", rateLimitMatch: 1000 });
    expect(secrets.redisUrl).toBe("redis://127.0.0.1:6379");
  });

  it("reads what is set", () => {
    const { settings } = readSettings(
      { ...enough, PORT: "8080", BASE_PATH: "/v1/game/", RATE_LIMIT_MATCH: "unlimited", LOG_LEVEL: "debug" },
      shape,
    );
    expect(settings).toMatchObject({
      port: 8080,
      basePath: "/v1/game",
      rateLimitMatch: "unlimited",
      logLevel: "debug",
    });
    expect(readSettings({ ...enough, BASE_PATH: "/" }, shape).settings.basePath).toBe("");
  });

  it("names every wrong variable in one sentence each", () => {
    expect(problemsOf({ PORT: "80a", RATE_LIMIT_MATCH: "0", BASE_PATH: "api", LOG_LEVEL: "loud" })).toEqual([
      'LOG_LEVEL is "loud": it must be one of fatal, error, warn, info, debug, trace, silent.',
      'PORT is "80a": it must be a whole number from 0 to 65535.',
      'BASE_PATH is "api": it must be a path that starts with a slash, such as /api.',
      'RATE_LIMIT_MATCH is "0": it must be a whole number from 1 to 1000000000, or "unlimited".',
      "REDIS_URL is not set: it must be an address like redis://127.0.0.1:6379.",
      "PLAYER_HASH_KEY is not set: it must be a text of 32 to 2000 characters.",
    ]);
  });

  it("never shows a secret", () => {
    const problems = problemsOf({ REDIS_URL: "http://user:pass@host", PLAYER_HASH_KEY: "short" });
    expect(problems.join(" ")).not.toMatch(/pass|short/);
    expect(problems).toHaveLength(2);
  });

  it.each([
    ["", ["loopback"]],
    ["none", []],
    ["10.1.2.0/24, 2001:db8::7,uniquelocal", ["10.1.2.0/24", "2001:db8::7", "uniquelocal"]],
  ])("reads TRUSTED_PROXIES %j", (text, expected) => {
    expect(readSettings({ ...enough, TRUSTED_PROXIES: text }, shape).settings.trustedProxies).toEqual(
      expected,
    );
  });

  it.each([
    "true",
    "*",
    "1",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.0/33",
    "10.0.0/8",
    "nginx",
    "10.0.0.1,",
    "10.0.0.1/24/8",
  ])("refuses TRUSTED_PROXIES %s", (text) => {
    expect(problemsOf({ ...enough, TRUSTED_PROXIES: text })).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES is ".*": it must be "none", or addresses and networks/),
    ]);
  });
});
