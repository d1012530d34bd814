import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { reconcileAll } from "@diegetic/billing";
import { type Api, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { createTestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { freePort } from "@diegetic/testing/free-port";
import { startTestRedis } from "@diegetic/testing/redis";
import { expect } from "@jest/globals";
import pg from "pg";
import { ROOT } from "../deploy/compose-file.ts";
import { configureNginx, startNginx } from "../deploy/nginx.ts";
import { GAME, PATIENCE, Traffic } from "./rolling-traffic.fixture.ts";

const INSTANCES = ["match", "match", "management", "management", "billing"] as const;
const PLAN = { depositCents: 1_000_000, budgetCents: 1_000_000, cpmBidCents: 100 };
/** A machine that stalls also causes refusals: the replacement is then repeated. */
const MAX_REPLACEMENTS = 3;
const run = promisify(execFile);

/** A service process that can be replaced by a new one, of any version, on the same ports. */
class Instance {
  readonly service: string;
  readonly port: number;
  readonly #metricsPort: number;
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;

  constructor(service: string, ports: [number, number], environment: Record<string, string>) {
    this.service = service;
    [this.port, this.#metricsPort] = ports;
    this.#environment = environment;
  }

  /**
   * Resolves when it is ready.
   * @param root of the built version
   */
  async start(root: string): Promise<void> {
    const ports = { PORT: String(this.port), METRICS_PORT: String(this.#metricsPort) };
    const entry = ["bundle", "dist"]
      .map((folder) => `services/${this.service}/${folder}/main.js`)
      // Earlier versions have no bundles.
      .find((path) => existsSync(join(root, path)));
    const child = spawn(process.execPath, [String(entry)], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...this.#environment, ...ports },
    });
    this.#child = child;
    const isReady = async () => (await fetch(`http://127.0.0.1:${this.#metricsPort}/readyz`)).ok;
    await eventually(() => child.exitCode !== null || isReady(), PATIENCE);
    expect(child.exitCode).toBeNull();
  }

  /** Answers the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    return exited;
  }
}

/** Two match, two management and one billing instance behind the proxy of docker/nginx.conf, with one campaign. */
export class Installation {
  readonly #instances: Instance[] = [];
  readonly #closers: (() => unknown)[] = [];
  #environment: Record<string, string> = {};
  #databaseUrl = "";
  #redisUrl = "";
  #campaignId = "";
  #api: Api | undefined;

  /**
   * @param nginx the program
   * @param root of the built version that everything starts with, its schema included
   */
  async start(nginx: string, root: string): Promise<void> {
    const dir = mkdtempSync(join(tmpdir(), "diegetic-rolling-"));
    this.#closers.push(() => rmSync(dir, { recursive: true, force: true }));
    const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    this.#closers.push(() => Promise.all([database.drop(), redis.stop()]));
    this.#databaseUrl = database.url;
    this.#redisUrl = redis.url;
    const { PATH = "", HOME = "" } = process.env;
    this.#environment = {
      PATH,
      HOME,
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      PLAYER_HASH_KEY: "k".repeat(32),
      AUTH_SECRET: "a".repeat(32),
      LOG_LEVEL: "silent",
    };
    await empty(database.url);
    await this.migrate(root);
    const free = new Set<number>();
    while (free.size < 2 * INSTANCES.length + 1) free.add(await freePort());
    const ports = [...free];
    for (const [index, service] of INSTANCES.entries()) {
      const [port = 0, metricsPort = 0] = ports.slice(2 * index);
      this.#instances.push(new Instance(service, [port, metricsPort], this.#environment));
    }
    this.#closers.push(() => Promise.all(this.#instances.map((instance) => instance.stop())));
    // Management publishes what match instances wait for.
    await Promise.all(this.#instances.map((instance) => instance.start(root)));
    const portsOf = (service: string) =>
      this.#instances.filter((instance) => instance.service === service).map(({ port }) => port);
    const port = ports.at(-1) ?? 0;
    const url = `http://127.0.0.1:${port}`;
    const services = { management: portsOf("management"), match: portsOf("match") };
    const proxy = await startNginx(nginx, configureNginx(dir, port, services), url);
    this.#closers.push(() => proxy.stop());
    const key = await this.#run(root, "scripts/key.mjs", "--label", "rolling", "--rate-limit", "unlimited");
    // Another version answers as its own document says.
    const api = apiClient(`${url}/api`, key.trim(), { isDocumented: root === ROOT });
    this.#api = api;
    await enableGame(api, GAME);
    this.#campaignId = (await startCampaign(api, PLAN)).campaignId;
    const scene = { game_id: GAME, user_id: "first", game_context: {} };
    await eventually(async () => (await api.request("POST", "/match", scene)).status === 200, PATIENCE);
  }

  /** By the version's own script. Answers what it reports. */
  migrate(root: string): Promise<string> {
    return this.#run(root, "scripts/migrate.mjs");
  }

  startTraffic(): Traffic {
    if (this.#api === undefined) throw new Error("the installation has not started");
    const traffic = new Traffic(this.#api, this.#campaignId);
    this.#closers.push(() => traffic.end());
    return traffic;
  }

  /**
   * Replaces every instance, one at a time; traffic goes on while it is gone. Repeats a replacement during
   * which a request was refused; fails after `MAX_REPLACEMENTS`.
   * @param root of the version that takes its place
   */
  async replaceEach(root: string, traffic: Traffic): Promise<void> {
    for (const [index, instance] of this.#instances.entries()) {
      let replacements = 0;
      do {
        replacements += 1;
        traffic.begin(`${instance.service} ${index} replaced`);
        expect(await instance.stop()).toBe(0);
        await traffic.goOn();
        await instance.start(root);
        await traffic.goOn();
      } while (traffic.refusals.length > 0 && replacements < MAX_REPLACEMENTS);
      expect(traffic.refusals).toEqual([]);
    }
  }

  /** Ends the traffic, of which nothing may have failed, and compares all stores with what it counted. */
  async expectNothingLost(traffic: Traffic): Promise<void> {
    await traffic.recordHeld();
    await traffic.end();
    expect(traffic.failures).toEqual([]);
    expect(traffic.refusals).toEqual([]);
    const report = await reconcileAll({
      databaseUrl: this.#databaseUrl,
      redisUrl: this.#redisUrl,
      quietWithinMs: 60_000,
    });
    expect(report.findings).toEqual([]);
    expect(report.verdict).toBe("agrees");
    const stats = await this.#api?.expect(200, "GET", `/campaigns/${this.#campaignId}/stats`);
    expect(stats.impressions).toBe(traffic.impressions);
  }

  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).reverse()) await closer();
  }

  /** Runs a script of a version. Answers all it prints. */
  async #run(root: string, ...script: string[]): Promise<string> {
    const { stdout, stderr } = await run(process.execPath, script, { cwd: root, env: this.#environment });
    return stdout || stderr;
  }
}

/** Removes the newest schema, with which test databases begin. */
async function empty(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  await client.end();
}
