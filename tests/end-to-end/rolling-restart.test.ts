import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reconcileAll } from "@diegetic/billing";
import { createDatabase } from "@diegetic/database";
import { findNginx } from "@diegetic/local-stores";
import { createAccountWithKey } from "@diegetic/management";
import { type Api, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../deploy/compose-file.ts";
import { configureNginx, startNginx } from "../deploy/nginx.ts";
import { freePort } from "../faults/topology/free-port.ts";

const TIMEOUT_MS = 600_000;
const PATIENCE = { timeoutMs: 180_000, everyMs: 50 };
const PLAYERS = 4;
const INSTANCES = ["match", "match", "management", "management", "billing"] as const;

/** A service process that can be replaced by a new one on the same ports. */
class Instance {
  readonly port: number;
  readonly #metricsPort: number;
  readonly #service: string;
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;

  constructor(service: string, ports: [number, number], environment: Record<string, string>) {
    this.#service = service;
    [this.port, this.#metricsPort] = ports;
    this.#environment = environment;
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    const ports = { PORT: String(this.port), METRICS_PORT: String(this.#metricsPort) };
    this.#child = spawn(process.execPath, [`services/${this.#service}/dist/main.js`], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
      env: { PATH: process.env.PATH, ...this.#environment, ...ports },
    });
    await eventually(async () => (await fetch(`http://127.0.0.1:${this.#metricsPort}/readyz`)).ok, PATIENCE);
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

const nginx = await findNginx().catch((error: Error) => error);
if (nginx instanceof Error) {
  it.skip(`a rolling restart is not tried here: ${nginx.message}`, () => undefined);
} else {
  describe("a rolling restart of every process under traffic, behind the proxy of docker/nginx.conf", () => {
    let dir = "";
    let database: TestDatabase;
    let redis: TestRedis;
    let proxy: { stop(): Promise<void> } | undefined;
    let api: Api;
    let campaignId = "";
    const instances: Instance[] = [];

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), "diegetic-rolling-"));
      [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
      const environment = {
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        PLAYER_HASH_KEY: "k".repeat(32),
        AUTH_SECRET: "a".repeat(32),
        LOG_LEVEL: "silent",
      };
      const ports: number[] = [];
      while (ports.length < 2 * INSTANCES.length + 1) ports.push(await freePort());
      for (const [index, service] of INSTANCES.entries()) {
        const [port = 0, metricsPort = 0] = ports.slice(2 * index);
        instances.push(new Instance(service, [port, metricsPort], environment));
      }
      // Management publishes what match instances wait for.
      await Promise.all(instances.map((instance) => instance.start()));
      const portsOf = (service: string) =>
        instances.filter((_, index) => INSTANCES[index] === service).map(({ port }) => port);
      const port = ports.at(-1) ?? 0;
      const url = `http://127.0.0.1:${port}`;
      const config = configureNginx(dir, port, {
        management: portsOf("management"),
        match: portsOf("match"),
      });
      proxy = await startNginx(nginx, config, url);
      const accounts = createDatabase(database.url, { poolSize: 1, applicationName: "rolling" });
      const options = { label: "rolling", rateLimitPerMinute: "unlimited" as const };
      const { key } = await createAccountWithKey({ database: accounts }, options);
      await accounts.$disconnect();
      api = apiClient(`${url}/api`, key);
      await enableGame(api, "keep");
      const plan = { depositCents: 1_000_000, budgetCents: 1_000_000, cpmBidCents: 100 };
      ({ campaignId } = await startCampaign(api, plan));
      const scene = { game_id: "keep", user_id: "first", game_context: {} };
      await eventually(async () => (await api.request("POST", "/match", scene)).status === 200, PATIENCE);
    }, TIMEOUT_MS);
    afterAll(async () => {
      await proxy?.stop();
      await Promise.all(instances.map((instance) => instance.stop()));
      await Promise.all([database?.drop(), redis?.stop()]);
      rmSync(dir, { recursive: true, force: true });
    }, TIMEOUT_MS);

    it(
      "loses no request and no impression",
      async () => {
        let isOver = false;
        let impressions = 0;
        let changes = 0;
        const unexpected: string[] = [];
        const play = async (player: number) => {
          for (let visit = 0; !isOver; visit += 1) {
            const scene = { game_id: "keep", user_id: `player-${player}-${visit}`, game_context: {} };
            const match = await api.serve("/match", scene);
            // The campaign changes all the time: at such a moment it may not serve.
            if (match.status === 204) continue;
            if (match.status !== 200) unexpected.push(`match: ${match.status} ${JSON.stringify(match.body)}`);
            else {
              const { campaign_id, creative_id, match_id } = match.body;
              const impression = { game_id: "keep", campaign_id, creative_id, match_id };
              const { status, body } = await api.serve("/impressions", impression);
              if (status === 201) impressions += 1;
              else unexpected.push(`impression: ${status} ${JSON.stringify(body)}`);
            }
          }
        };
        const manage = async () => {
          while (!isOver) {
            const change = await api.request("PATCH", `/campaigns/${campaignId}`, {
              name: `Launch ${changes}`,
            });
            const read = await api.request("GET", `/campaigns/${campaignId}`);
            if (change.status === 200 && read.body.name === `Launch ${changes}`) changes += 1;
            else
              unexpected.push(
                `change: ${change.status} ${JSON.stringify(change.body)}, read: ${read.status}`,
              );
          }
        };
        const traffic = [...Array.from({ length: PLAYERS }, (_, player) => play(player)), manage()];
        for (const instance of instances) {
          const before = { impressions, changes };
          expect(await instance.stop()).toBe(0);
          // Traffic goes on while the instance is gone.
          await eventually(
            () => impressions > before.impressions + 10 && changes > before.changes + 1,
            PATIENCE,
          );
          await instance.start();
        }
        isOver = true;
        await Promise.all(traffic);
        expect(unexpected).toEqual([]);
        const report = await reconcileAll({
          databaseUrl: database.url,
          redisUrl: redis.url,
          quietWithinMs: 60_000,
        });
        expect(report.verdict).toBe("agrees");
        const stats = await api.expect(200, "GET", `/campaigns/${campaignId}/stats`);
        expect(stats.impressions).toBe(impressions);
      },
      TIMEOUT_MS,
    );
  });
}
