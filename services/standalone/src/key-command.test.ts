import { afterEach, describe, expect, it } from "@jest/globals";
import { createTestDatabase } from "../../../tests/helpers/database.ts";
import { readKeyOptions, runKeyCommand, scopesWarning } from "./key-command.ts";

describe("arguments of npm run key", () => {
  it("are a label, scopes and a limit", () => {
    expect(
      readKeyOptions(["--label", " server ", "--scopes", "serving, developer", "--rate-limit=5"]),
    ).toEqual({
      label: "server",
      scopes: ["serving", "developer"],
      rateLimitPerMinute: 5,
    });
    expect(readKeyOptions(["--help"])).toBe("help");
  });

  it.each([
    [[], "--label is needed: it must be a text of 1 to 200 characters"],
    [["--label"], "argument missing"],
    [["--label", " "], '--label is " ": it must be a text of 1 to 200 characters'],
    [["--lable", "x"], "Unknown option '--lable'"],
    [["--label", "x", "more"], "Unexpected argument 'more'"],
    [
      ["--label", "x", "--scopes", "admin"],
      '--scopes is "admin": it must be some of advertiser, developer, serving',
    ],
    [["--label", "x", "--rate-limit", "0"], '--rate-limit is "0": it must be a whole number from 1'],
  ])("are refused with the usage: %j", (args, part) => {
    const problem = expect.objectContaining({
      name: "UsageError",
      message: expect.stringMatching(/\nUsage: npm run --silent key -- --label NAME /),
    });
    expect(() => readKeyOptions(args)).toThrow(problem);
    expect(() => readKeyOptions(args)).toThrow(part);
  });
});

it("a key that serves alone is one of an account that can own no game", () => {
  expect(scopesWarning({ label: "x", scopes: ["serving"] })).toContain("can own no game");
  expect(scopesWarning({ label: "x", scopes: ["serving", "developer"] })).toBeUndefined();
  expect(scopesWarning({ label: "x" })).toBeUndefined();
});

describe("a key is made nowhere", () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  it("when the data directory does not exist", async () => {
    process.env.DATA_DIR = "/nowhere/diegetic";
    await expect(runKeyCommand(["--label", "x"])).rejects.toThrow(
      "DATA_DIR names /nowhere/diegetic, which does not exist",
    );
  });

  it.each([
    ["DATABASE_URL", "banana", "DATABASE_URL has an unusable value: it must be an address like postgres://"],
    ["REDIS_URL", "banana", "REDIS_URL has an unusable value: it must be an address like redis://"],
    ["REDIS_URL", "redis://127.0.0.1:1", /^REDIS_URL names 127.0.0.1:1, where nothing answers/],
  ])("when %s is %s", async (variable, text, sentence) => {
    const database = await createTestDatabase();
    try {
      Object.assign(process.env, { DATABASE_URL: database.url, [variable]: text });
      await expect(runKeyCommand(["--label", "x"])).rejects.toThrow(sentence);
    } finally {
      await database.drop();
    }
  });
});
