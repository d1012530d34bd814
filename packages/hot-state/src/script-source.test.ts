import { readdirSync, readFileSync } from "node:fs";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { RedisConnection } from "./connection.ts";
import { loadScript } from "./script-source.ts";

const LUA_DIRECTORY = new URL("../lua/", import.meta.url);
const FILES = readdirSync(LUA_DIRECTORY, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".lua"),
);
const SCRIPTS = FILES.filter((file) => !file.includes("/")).map((file) => file.slice(0, -".lua".length));

let server: TestRedis;
let redis: RedisConnection;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** The arguments of each `redis.call` of a script. */
function commandArguments(source: string): string[] {
  const found: string[] = [];
  for (const { index } of source.matchAll(/redis\.call\(/g)) {
    let depth = 0;
    let from = index + "redis.call(".length;
    for (let at = from; depth >= 0 && at < source.length; at += 1) {
      const character = source.charAt(at);
      if ("({[".includes(character)) depth += 1;
      if (")}]".includes(character)) depth -= 1;
      if (depth < 0 || (depth === 0 && character === ",")) {
        found.push(source.slice(from, at).trim());
        from = at + 1;
      }
    }
  }
  return found;
}

it.each(SCRIPTS)("%s computes no argument of a command but by integer_text", (name) => {
  const computed = commandArguments(loadScript(name).replace(/--.*$/gm, "")).filter((argument) => {
    const outside = argument.replace(/'[^']*'/g, "''").replace(/\w+\(.*\)|\[.*\]/gs, "");
    return /[-+*/]/.test(outside) && !/^-?\d+$/.test(outside);
  });
  expect(computed).toEqual([]);
});

describe.each(SCRIPTS)("script %s", (name) => {
  it("says at its head what it takes and answers", () => {
    const head = loadScript(name).split("\n\n")[0] ?? "";
    for (const word of ["KEYS", "ARGV", "Reply"]) expect(head).toMatch(new RegExp(`^-- ${word}\\b`, "m"));
  });

  it("names each key and argument before it is used", () => {
    const code = readFileSync(new URL(`${name}.lua`, LUA_DIRECTORY), "utf8").replace(/--.*$/gm, "");
    const used = code.split("\n").filter((line) => /\b(?:KEYS|ARGV)\[\d+\]/.test(line));
    for (const line of used) expect(line).toMatch(/^local [\w, ]+ = /);
  });

  it("is whole and compiles", async () => {
    const source = loadScript(name);
    expect(source).not.toContain("@include");
    const sha = await redis.script("LOAD", source);
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe.each(FILES)("the file %s", (file) => {
  const lines = readFileSync(new URL(file, LUA_DIRECTORY), "utf8").split("\n");

  it("has every function end by an `end` alone in the first column, before the next one begins", () => {
    const edges = lines.filter((line) => line.startsWith("local function ") || line === "end");
    for (const [index, edge] of edges.entries()) {
      if (edge === "end") continue;
      expect(edge).not.toMatch(/\bend\b/);
      expect(edges[index + 1]).toBe("end");
    }
  });

  it("has no `--` inside a text, and no text of several lines", () => {
    for (const line of lines) {
      const [code = ""] = line.split("--");
      expect(code.replace(/'[^']*'|"[^"]*"/g, "")).not.toMatch(/['"]/);
      expect(line).not.toContain("[[");
    }
  });
});

it("leaves out what a script does not use of its includes", () => {
  const admit = loadScript("admit");
  expect(admit).toContain("local function now_microseconds");
  expect(admit).not.toContain("local function utc_day");
  // Nobody but `read_account` calls it.
  expect(loadScript("reserve")).toContain("local function server_replication_id");
  expect(loadScript("take_quota")).not.toContain("local function utc_day");
});

describe("time in scripts", () => {
  const source = `${loadScript("include/time")}\nreturn utc_day(tonumber(ARGV[1]))`;
  const utcDay = (ms: number) => redis.eval(source, 0, ms);

  it.each([
    "1970-01-01T00:00:00.000Z",
    "1999-12-31T23:59:59.999Z",
    "2000-02-29T12:00:00.000Z",
    "2026-11-21T00:00:00.000Z",
    "2028-02-28T23:59:59.999Z",
    "2028-02-29T00:00:00.000Z",
    "2028-03-01T00:00:00.000Z",
    "2100-02-28T23:59:59.999Z",
    "2100-03-01T00:00:00.000Z",
  ])("knows the day of %s", async (moment) => {
    expect(await utcDay(Date.parse(moment))).toBe(moment.slice(0, 10));
  });

  it("knows the day of every moment", async () => {
    const until2200 = 7_258_118_400_000;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: until2200 }), async (ms) => {
        expect(await utcDay(ms)).toBe(new Date(ms).toISOString().slice(0, 10));
      }),
      { numRuns: 500 },
    );
  });

  it("prints whole numbers in digits only", async () => {
    const print = `${loadScript("include/time")}\nreturn integer_text(tonumber(ARGV[1]))`;
    for (const number of [0, -1, 10 ** 14, 10 ** 15, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]) {
      expect(await redis.eval(print, 0, number)).toBe(String(number));
    }
  });
});
