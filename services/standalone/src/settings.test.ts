import { SettingsError } from "@diegetic/service-kit";
import { describe, expect, it } from "@jest/globals";
import { hostInUrl, readStackSettings } from "./settings.ts";

function problemsOf(environment: Record<string, string>, args: string[] = []): string[] {
  try {
    readStackSettings(environment, args);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe("the settings of the local stack", () => {
  it("have defaults", () => {
    expect(readStackSettings({ DATA_DIR: "/tmp/stack" }, [])).toEqual({
      host: "127.0.0.1",
      port: 8080,
      basePath: "/api",
      dataDir: "/tmp/stack",
      databaseUrl: undefined,
      redisUrl: undefined,
      demo: true,
      isReachable: false,
      setupToken: "",
      matchInstances: 1,
    });
  });

  it.each([
    [{}, false],
    [{ HOST: "localhost", PUBLIC_URL: "http://localhost:8080" }, false],
    [{ HOST: "::1", PUBLIC_URL: "http://[::1]:8080" }, false],
    [{ HOST: "0.0.0.0" }, true],
    [{ HOST: "192.0.2.7" }, true],
    [{ PUBLIC_URL: "https://ads.example.com" }, true],
  ])("say whether other machines can reach the stack: %j", (environment, isReachable) => {
    expect(readStackSettings({ ...environment }, [])).toMatchObject({ isReachable });
  });

  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["localhost", "localhost"],
    ["192.0.2.7", "192.0.2.7"],
    ["::1", "[::1]"],
    ["0.0.0.0", "127.0.0.1"],
    ["::", "127.0.0.1"],
  ])("lead from HOST=%s to an address that this machine reaches", (host, inUrl) => {
    expect(hostInUrl(host)).toBe(inUrl);
  });

  it("are reported without the passwords of addresses", () => {
    const problems = problemsOf({ DATABASE_URL: "mysql://user:secret@x", REDIS_URL: "http://:secret@y" });
    expect(problems).toHaveLength(2);
    expect(problems.join(" ")).not.toContain("secret");
  });

  it("are read once for all services, and every problem is reported once", () => {
    const environment = {
      PORT: "x",
      LOG_LEVEL: "loud",
      HOLD_TTL_SECONDS: "0",
      SESSION_IDLE_SECONDS: "soon",
      NAMED_SESSION_IDLE_SECONDS: "0",
      LATE_IMPRESSION_SECONDS: "604801",
      MATCH_WITHOUT_ID_SECONDS: "-1",
      RATE_LIMIT_MATCH_PER_GAME: "-1",
      BILLING_CONCURRENCY: "129",
    };
    const variables = problemsOf(environment, ["--match-instances", "0"]).map((text) => text.split(" ")[0]);
    expect(variables.sort()).toEqual(["--match-instances", ...Object.keys(environment)].sort());
  });

  it.each([
    [["--match-instances", "33"], '--match-instances is "33": it must be a whole number from 1 to 32.'],
    [["--instances", "2"], "Unknown option '--instances'."],
  ])("refuse %j as wrong use", (args, sentence) => {
    const problem = { name: "UsageError", message: expect.stringContaining(`${sentence}\nUsage: npm start`) };
    expect(() => readStackSettings({}, args)).toThrow(expect.objectContaining(problem));
  });

  it("are not needed for --help", () => {
    expect(readStackSettings({ PORT: "x" }, ["--help"])).toBe("help");
  });

  it("ignore settings that the stack sets for its services", () => {
    expect(problemsOf({ METRICS_PORT: "x", TRUSTED_PROXIES: "everybody", PLAYER_HASH_KEY: "short" })).toEqual(
      [],
    );
  });
});
