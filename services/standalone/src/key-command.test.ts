import { describe, expect, it } from "@jest/globals";
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

it("a data directory that does not exist gets no stack", async () => {
  const before = process.env.DATA_DIR;
  process.env.DATA_DIR = "/nowhere/diegetic";
  try {
    await expect(runKeyCommand(["--label", "x"])).rejects.toThrow(
      "DATA_DIR names /nowhere/diegetic, which does not exist",
    );
  } finally {
    if (before === undefined) delete process.env.DATA_DIR;
    else process.env.DATA_DIR = before;
  }
});
