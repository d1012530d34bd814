import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterBilling, apiClient, enableGame, readBilled, startCampaign } from "@diegetic/testing/api";
import { createTestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { describeInLongForm, isLongForm, itInLongForm } from "@diegetic/testing/rounds";
import {
  isAlive,
  runKeyCommand,
  spawnStack,
  startStack,
  type TestStack,
  withOwnNode,
} from "@diegetic/testing/stack";
import { afterAll, describe, expect, it } from "@jest/globals";
import { createKey } from "./create-key.ts";
import { describeExamples } from "./examples.group.ts";

const STACK_TIMEOUT_MS = 300_000;
/** Node of all starts but the first: an older one loads every module without its compiled code, which takes half as long again. */
const NODE_OF_LATER_STARTS = isLongForm ? withOwnNode() : {};
/** A start that looks for what has changed, as it does without `npm test`. */
const SETS_UP = { ALREADY_SET_UP: "" };
const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The blocks of commands of the quickstart, in their order. */
function quickstartBlocks(): string[] {
  const quickstart = readFileSync(join(ROOT, "docs/quickstart.md"), "utf8");
  const section = /\n## First ad.*?\n## /s.exec(quickstart)?.[0] ?? "";
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = ""]) => commands);
}

/** The data directories that stacks of this checkout have noted. */
function notedStacks(): string[] {
  const dir = join(ROOT, "node_modules", ".running-stacks");
  return readdirSync(dir).map((name) => readFileSync(join(dir, name), "utf8"));
}

/** One file of each step that prepares a start. */
const BUILT = [
  "packages/database/src/generated/client.ts",
  "services/standalone/dist/run.js",
  "services/standalone/bundle/run.js",
  "services/dashboard/dist/index.html",
];

function builtAtMs(): number[] {
  return BUILT.map((file) => statSync(join(ROOT, file)).mtimeMs);
}

/** Lines pasted into an interactive shell, in the folder of the README. */
function paste(
  lines: string,
  environment: Record<string, string>,
): Promise<{ printed: string; code: number }> {
  const { DATABASE_URL: _database, REDIS_URL: _redis, KEY: _key, ...inherited } = process.env;
  return new Promise((resolve, reject) => {
    const shell = execFile(
      "bash",
      ["--norc", "--noprofile", "--noediting", "-i"],
      { cwd: ROOT, env: { ...inherited, HISTFILE: "/dev/null", ...environment } },
      (error, stdout, stderr) => {
        const code = error?.code ?? 0;
        if (typeof code === "number") resolve({ printed: `${stdout}\n${stderr}`, code });
        else reject(error);
      },
    );
    shell.stdin?.end(lines);
  });
}

describe("npm start", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "diegetic-first-ad-"));
  /** Of a second stack on the same stores. */
  const secondDir = mkdtempSync(join(tmpdir(), "diegetic-second-"));
  const earlier = { key: "", stoppedKey: "", campaignId: "", balanceCents: 0 };
  let stack: TestStack | undefined;
  let second: TestStack | undefined;
  const running = () => {
    if (stack === undefined) throw new Error("the stack does not run");
    return stack;
  };
  const allPids = (one: TestStack) => [
    one.supervisorPid(),
    ...one.describe().processes.map(({ pid }) => pid),
  ];
  const expectAllGone = (pids: number[], dir: string) => {
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(join(dir, "stack.json"))).toBe(false);
    expect(readdirSync(dir)).not.toContain("stack.lock");
    expect(notedStacks()).not.toContain(dir);
  };
  const warnings = (dir: string) =>
    readFileSync(join(dir, "logs/management.log"), "utf8")
      .split("\n")
      .filter((line) => line.includes("player hash key differs from the recorded one"));
  afterAll(async () => {
    await second?.pressCtrlC();
    await stack?.pressCtrlC();
    for (const dir of [dataDir, secondDir]) rmSync(dir, { recursive: true, force: true });
  }, STACK_TIMEOUT_MS);

  it(
    "prints three lines that work when they are pasted",
    async () => {
      stack = await startStack({ dataDir, environment: { ...withOwnNode(), ...SETS_UP } });
      const lines = running()
        .output()
        .split("\n")
        .filter((line) => line.startsWith("  curl "));
      expect(lines).toHaveLength(3);
      // The sample history of the demo account has impressions already.
      const { stdout: before } = await run("bash", ["-c", lines[2] ?? ""]);
      const { total_impressions: known } = JSON.parse(before);
      const answerOf = async (line = "") => JSON.parse((await run("bash", ["-c", line])).stdout);
      expect(await answerOf(lines[0])).toHaveProperty("narrative_hook");
      expect(await answerOf(lines[1])).toMatchObject({ game_id: "demo-game" });
      const shown = await afterBilling(() => answerOf(lines[2]));
      expect(shown).toMatchObject({ total_impressions: known + 1 });
    },
    STACK_TIMEOUT_MS,
  );

  it(
    "runs for the commands of the quickstart, pasted into a shell",
    async () => {
      const { port } = new URL(running().describe().baseUrl);
      const environment = { DATA_DIR: dataDir, PORT: port };
      const { printed } = await paste(quickstartBlocks().join(""), environment);
      expect(printed).toContain('"company_name":"Hearthwell"');
      expect(printed).toMatch(/"narrative_hook":"[^"]*Hearthwell[^"]*"/);
      expect(printed).toContain('"charged_cents":2,');
      expect(printed).not.toContain("Stopped at");
      const [, forSecondShell = ""] = /In a second shell: (export PORT=\d+ KEY=igk_\S+)/.exec(printed) ?? [];
      expect(forSecondShell).toContain(`PORT=${port} `);
      // On a busy machine, billing may take longer than the last calls wait: they are made again in a second shell.
      let last = printed;
      await eventually(async () => {
        if (last.includes('"balance_cents":4998') && last.includes('"total_earned_cents":1')) return true;
        const lines = [forSecondShell, quickstartBlocks()[0], "call /profile", "call /creator-revenue", ""];
        last = (await paste(lines.join("\n"), environment)).printed;
        return false;
      });
    },
    STACK_TIMEOUT_MS,
  );

  itInLongForm(
    "stops the commands of the quickstart at the first request that is refused, and leaves the shell open",
    async () => {
      const { port } = new URL(running().describe().baseUrl);
      const lines = `${quickstartBlocks().join("")}\necho "still"" here"\nexit 7\n`;
      const { printed, code } = await paste(lines, { DATA_DIR: dataDir, PORT: port, KEY: "igk_wrong" });
      expect(printed.match(/Stopped at .*/g)).toEqual([
        expect.stringMatching(/^Stopped at \S+\/register: {"detail":"/),
      ]);
      expect(printed).toContain("still here");
      expect(code).toBe(7);
    },
  );

  it("is noted where a command without DATA_DIR looks for it", () => {
    expect(notedStacks()).toContain(dataDir);
  });

  describe("the examples on it, with its demo campaign", () => describeExamples(dataDir, running));

  it(
    "leads from a key to a billed impression that every answer shows at once",
    async () => {
      earlier.key = await createKey(running(), "journey");
      const api = apiClient(running().describe().baseUrl, earlier.key);
      const plan = { depositCents: 1_000, budgetCents: 500, cpmBidCents: 10_000 };
      const { campaignId, creativeId } = await startCampaign(api, plan);
      earlier.campaignId = campaignId;
      earlier.balanceCents = plan.depositCents - 10;
      await api.expect(200, "PUT", `/campaigns/${campaignId}/affinities/bulk`, {
        affinities: [
          { affinity_type: "location", affinity_value: "Tavern", weight: 1.5 },
          { affinity_type: "mood", affinity_value: "tense", weight: 2 },
        ],
      });
      await enableGame(api, "first-game");

      const scene = { game_id: "first-game", user_id: "player-1", game_context: { location: "tavern" } };
      const match = await api.expect(200, "POST", "/match", scene);
      expect(match).toMatchObject({
        campaign_id: campaignId,
        creative_id: creativeId,
        narrative_hook: "The kettle sings of Emberroast.",
        affinity_score: 1.5,
        cpm_bid_cents: 10_000,
      });
      const ids = { campaign_id: campaignId, creative_id: creativeId, game_id: "first-game" };
      const impression = await api.expect(201, "POST", "/impressions", { ...ids, match_id: match.match_id });
      expect(impression).toMatchObject({ ...ids, charged_cents: 10 });

      const stats = await readBilled(api, `/campaigns/${campaignId}/stats`);
      expect(stats).toMatchObject({ impressions: 1, unique_users: 1, unique_games: 1, spent_cents: 10 });
      const rows = await readBilled(api, `/campaigns/${campaignId}/analytics/affinities`);
      expect(rows.affinities).toMatchObject([
        { affinity_value: "Tavern", match_rate: 1, avg_score_contribution: 1.5, impressions_influenced: 1 },
        { affinity_value: "tense", match_rate: 0, avg_score_contribution: 0, impressions_influenced: 0 },
      ]);
      const balance = { balance_cents: earlier.balanceCents };
      expect(await readBilled(api, "/profile")).toMatchObject(balance);
      expect(await readBilled(api, "/revenue")).toMatchObject({ total_spent_cents: 10, ...balance });
      const earned = { total_earned_cents: 7, total_impressions: 1, games_count: 1 };
      expect(await readBilled(api, "/creator-revenue")).toMatchObject(earned);
    },
    STACK_TIMEOUT_MS,
  );

  it("answers health, readiness and metrics without a key", async () => {
    const { baseUrl, managementUrl, matchUrls, processes } = running().describe();
    for (const url of [baseUrl, managementUrl, ...matchUrls]) {
      for (const path of ["/healthz", "/readyz"]) {
        expect((await fetch(new URL(path, url))).status).toBe(200);
      }
    }
    for (const { metricsUrl } of processes) {
      if (metricsUrl === null) continue;
      expect(await (await fetch(metricsUrl)).text()).toContain("process_cpu_seconds_total");
    }
  });

  itInLongForm(
    "goes on when stack.json cannot be written, and writes it at the next change",
    async () => {
      const blocked = join(dataDir, "stack.json.new");
      mkdirSync(blocked);
      const killed = running().pidOf("match-1");
      process.kill(killed, "SIGKILL");
      await eventually(() => running().output().includes("match-1 runs again"));
      expect(running().output()).toContain("stack.json could not be updated: EISDIR");
      rmdirSync(blocked);
      await running().killAndAwaitRestart("billing");
      expect(running().pidOf("match-1")).not.toBe(killed);
    },
    STACK_TIMEOUT_MS,
  );

  it("refuses a second start in the same data directory with one sentence", async () => {
    const second = spawnStack({ dataDir, environment: NODE_OF_LATER_STARTS });
    expect(await second.exited).not.toBe(0);
    expect(second.output()).toContain(`The stack of ${dataDir} already runs`);
    expect(second.output()).not.toContain("    at ");
  });

  itInLongForm(
    "serves side by side with a second stack on its stores, and beside its next start, though each has its own PLAYER_HASH_KEY",
    async () => {
      const { databaseUrl, redisUrl } = running().describe();
      const stores = { DEMO: "0", DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
      const startSecond = () =>
        startStack({ dataDir: secondDir, environment: { ...NODE_OF_LATER_STARTS, ...stores } });
      second = await startSecond();
      const play = async (stack: TestStack) => {
        const server = apiClient(stack.describe().baseUrl, earlier.key);
        const scene = { game_id: "first-game", user_id: "shared-player", game_context: {} };
        const { campaign_id, creative_id, match_id } = await server.expect(200, "POST", "/match", scene);
        expect(campaign_id).toBe(earlier.campaignId);
        const seen = { game_id: "first-game", campaign_id, creative_id, match_id };
        await server.expect(201, "POST", "/impressions", seen);
      };
      await play(second);
      await play(running());
      expect(await second.pressCtrlC()).toBe(0);
      second = await startSecond();
      await play(second);
      earlier.balanceCents -= 30;
      const api = apiClient(second.describe().baseUrl, earlier.key);
      expect(await readBilled(api, `/campaigns/${earlier.campaignId}/stats`)).toMatchObject({
        impressions: 4,
      });
      expect(warnings(dataDir)).toHaveLength(0);
      expect(warnings(secondDir)).toHaveLength(1);
    },
    STACK_TIMEOUT_MS,
  );

  itInLongForm(
    "ends everything of one stack when its npm alone is sent SIGTERM, and nothing of the other",
    async () => {
      if (second === undefined) throw new Error("the second stack does not run");
      const pids = allPids(second);
      expect(await second.killNpm("SIGTERM")).toBe(0);
      expect(second.output()).toContain("Stopped.");
      expectAllGone(pids, secondDir);
      expect(allPids(running()).every(isAlive)).toBe(true);
    },
    STACK_TIMEOUT_MS,
  );

  it(
    "ends everything at Ctrl-C, and a second Ctrl-C does no harm",
    async () => {
      const pids = allPids(running());
      expect(pids.every(isAlive)).toBe(true);
      await Promise.all([running().pressCtrlC(), running().pressCtrlC()]);
      expect(running().output()).toContain("Stopped.");
      expectAllGone(pids, dataDir);
    },
    STACK_TIMEOUT_MS,
  );

  it(
    "creates keys while the stack does not run",
    async () => {
      earlier.stoppedKey = await runKeyCommand(dataDir, ["--label", "stopped", "--scopes", "advertiser"]);
      expect(earlier.stoppedKey).toMatch(/^igk_\S{32,}$/);
    },
    STACK_TIMEOUT_MS,
  );

  it(
    "keeps the data of the first start, and is ready within seconds",
    async () => {
      const builtBeforeMs = builtAtMs();
      const startedMs = performance.now();
      stack = await startStack({ dataDir, environment: { ...NODE_OF_LATER_STARTS, ...SETS_UP } });
      // A busy machine takes longer for the same work.
      expect(performance.now() - startedMs).toBeLessThan(120_000);
      // A step that finds nothing to do is announced when the machine is so busy that it takes a while.
      expect(stack.output()).not.toMatch(/Installing|Creating|history/);
      expect(builtAtMs()).toEqual(builtBeforeMs);
      const api = apiClient(stack.describe().baseUrl, earlier.key);
      expect(await api.expect(200, "GET", "/profile")).toMatchObject({
        balance_cents: earlier.balanceCents,
      });
      const scene = { game_id: "first-game", user_id: "player-2", game_context: {} };
      expect(await api.expect(200, "POST", "/match", scene)).toMatchObject({
        campaign_id: earlier.campaignId,
      });
      const scoped = apiClient(stack.describe().baseUrl, earlier.stoppedKey);
      await scoped.expect(404, "GET", "/profile");
      await scoped.expect(403, "POST", "/match", scene);
      const logs = readdirSync(join(dataDir, "logs"));
      expect(logs).toEqual(expect.arrayContaining(["management.log", "management.previous.log"]));
    },
    STACK_TIMEOUT_MS,
  );

  it(
    "ends everything in order when its terminal is closed",
    async () => {
      const pids = allPids(running());
      running().closeTerminal();
      await eventually(() => !pids.some(isAlive), { timeoutMs: 60_000 });
      expectAllGone(pids, dataDir);
    },
    STACK_TIMEOUT_MS,
  );
});

describeInLongForm("a start that cannot succeed", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "diegetic-no-start-"));
  const blocker = createServer();
  afterAll(() => {
    blocker.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const failToStart = async (environment: Record<string, string>) => {
    const stack = spawnStack({ dataDir, environment: { ...NODE_OF_LATER_STARTS, ...environment } });
    expect(await stack.exited).not.toBe(0);
    expect(stack.output()).not.toContain("    at ");
    expect(readdirSync(dataDir)).not.toContain("stack.lock");
    return stack.output();
  };

  it("says which port is in use", async () => {
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as AddressInfo;
    expect(await failToStart({ PORT: String(port) })).toMatch(new RegExp(`${port} is already in use.*PORT`));
  });

  const unusable: [string, (databaseUrl: string) => string, string][] = [
    ["where nothing answers", () => "127.0.0.1:1", "REDIS_URL names 127.0.0.1:1, where nothing answers"],
    [
      "that is no Redis",
      (databaseUrl) => new URL(databaseUrl).host,
      "What answers at REDIS_URL is not a Redis server: correct the address.",
    ],
  ];
  it.each(unusable)(
    "names a store %s before anything is migrated",
    async (_what, hostOf, sentence) => {
      const database = await createTestDatabase();
      try {
        const redisUrl = `redis://:secret@${hostOf(database.url)}`;
        const output = await failToStart({ DATABASE_URL: database.url, REDIS_URL: redisUrl });
        expect(output).toContain(sentence);
        expect(output).not.toContain("Bringing the database up to date");
        expect(output).not.toContain("secret");
      } finally {
        await database.drop();
      }
    },
    STACK_TIMEOUT_MS,
  );
});
