import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMoneyCommands, type MoneyCommands, type RedisConnection } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { startStack, type TestStack } from "@diegetic/testing/stack";
import pg from "pg";
import { FaultyProxy } from "./faulty-proxy.ts";
import { type RedisTopology, startProxiedCluster, startSingleRedis } from "./redis-topology.ts";
import { type KillableStore, startKillablePostgres } from "./store.ts";

export type Variant = "single" | "cluster";

export interface WorldOptions {
  variant: Variant;
  holdTtlSeconds: number;
  sessionIdleSeconds: number;
  /** Runs the services' modules, whose text sabotage/preload.mjs replaces, instead of their bundles. Default: false. */
  replacesModules?: boolean;
  /** Name of the removed safeguard; see sabotage/safeguards.mjs. Replaces modules. */
  withoutSafeguard?: string | undefined;
  /** Additional settings of the services. */
  environment?: Record<string, string>;
}

/** Services that the supervisor restarts. */
export const SERVICES = ["front", "management", "match-1", "match-2", "billing"] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The monotonic clock of this instance stands still while it is stopped, like that of a suspended machine. */
export const SUSPENDED_INSTANCE: ServiceName = "match-2";

/** Name of the temporary second management. */
export const SECOND_MANAGEMENT = "management-2";
type ClockName = ServiceName | typeof SECOND_MANAGEMENT;
const CLOCKS: readonly ClockName[] = [...SERVICES, SECOND_MANAGEMENT];

/** Offset that the scripts' time.lua adds to the time of Redis, microseconds; see sabotage/preload.mjs. */
export const REDIS_CLOCK_KEY = "faults:clock_us";

const READY_TIMEOUT_MS = 60_000;
const MODULES = "--conditions=@diegetic/modules";
const PRELOAD = new URL("../sabotage/preload.mjs", import.meta.url).href;

/**
 * The real `npm start` with two match instances, on a Redis and a Postgres that can be killed and that the services
 * reach only through proxies.
 */
export class World {
  /** Of all files of this world. */
  readonly dir: string;
  readonly dataDir: string;
  readonly variant: Variant;
  readonly redis: RedisTopology;
  readonly postgres: KillableStore;
  readonly postgresProxy: FaultyProxy;
  readonly stack: TestStack;
  /** Direct connection, without a proxy. */
  readonly directRedis: RedisConnection;
  readonly money: MoneyCommands;
  readonly #clockDir: string;
  readonly #offMs = new Map<ClockName, number>();
  #sharedMs = 0;
  #scriptsOffMs = 0;

  private constructor(parts: {
    dir: string;
    variant: Variant;
    redis: RedisTopology;
    postgres: KillableStore;
    postgresProxy: FaultyProxy;
    stack: TestStack;
  }) {
    this.dir = parts.dir;
    this.#clockDir = join(parts.dir, "clocks");
    this.dataDir = join(parts.dir, "data");
    this.variant = parts.variant;
    this.redis = parts.redis;
    this.postgres = parts.postgres;
    this.postgresProxy = parts.postgresProxy;
    this.stack = parts.stack;
    this.directRedis = parts.redis.connect("faults");
    this.money = createMoneyCommands(this.directRedis);
  }

  static async start(options: WorldOptions): Promise<World> {
    const dir = mkdtempSync(join(tmpdir(), "diegetic-faults-"));
    mkdirSync(join(dir, "clocks"));
    const { variant, withoutSafeguard } = options;
    const replacesModules = withoutSafeguard !== undefined || options.replacesModules === true;
    const redis = variant === "single" ? await startSingleRedis(dir) : await startProxiedCluster(dir);
    const postgres = await startKillablePostgres(join(dir, "postgres"));
    const postgresProxy = await FaultyProxy.start(() => postgres.port);
    const databaseUrl = Object.assign(new URL(postgres.url), { port: String(postgresProxy.port) }).toString();
    try {
      const stack = await startStack({
        dataDir: join(dir, "data"),
        arguments: ["--match-instances", "2"],
        environment: {
          DEMO: "0",
          DATABASE_URL: databaseUrl,
          REDIS_URL: redis.proxiedUrl,
          HOLD_TTL_SECONDS: String(options.holdTtlSeconds),
          SESSION_IDLE_SECONDS: String(options.sessionIdleSeconds),
          NODE_OPTIONS: `--trace-warnings --import=${PRELOAD} ${replacesModules ? MODULES : ""}`,
          FAULTS_MODULES: replacesModules ? "1" : "0",
          FAULTS_CLOCKS: join(dir, "clocks"),
          FAULTS_REDIS_CLOCK: variant === "single" ? "1" : "0",
          FAULTS_SABOTAGE: withoutSafeguard ?? "",
          ...options.environment,
        },
      });
      return new World({ dir, variant, redis, postgres, postgresProxy, stack });
    } catch (error) {
      await postgresProxy.stop();
      await postgres.stop();
      await redis.stop();
      rmSync(dir, { recursive: true, force: true });
      throw error;
    }
  }

  get baseUrl(): string {
    return this.stack.describe().baseUrl;
  }

  /** Sets the clock offset of one service. Zero: like the others. */
  setServiceClock(service: ClockName, offMs: number): void {
    this.#offMs.set(service, offMs);
    const file = join(this.#clockDir, service);
    // Atomically, because half of a number would be another time.
    writeFileSync(`${file}.new`, String(this.#sharedMs + offMs));
    renameSync(`${file}.new`, file);
  }

  /** Offset of a service's clock when it last noticed a change. */
  serviceClockOffset(service: ServiceName): number {
    return Number(readFileSync(join(this.#clockDir, `${service}.seen`), "utf8")) - this.#sharedMs;
  }

  /** Moves all clocks forward, including the scripts'. Only on a single Redis. */
  async passTime(ms: number): Promise<void> {
    this.#sharedMs += ms;
    await this.setRedisClock(0);
    for (const name of CLOCKS) this.setServiceClock(name, this.#offMs.get(name) ?? 0);
  }

  /** Sets the offset of the scripts' clock. Zero: like the others. Only on a single Redis. */
  async setRedisClock(offMs: number): Promise<void> {
    this.#scriptsOffMs = offMs;
    await this.directRedis.set(REDIS_CLOCK_KEY, String((this.#sharedMs + offMs) * 1_000));
  }

  /** The time that the scripts read. */
  scriptsNowMs(): number {
    return this.nowMs() + this.#scriptsOffMs;
  }

  /** The time of all correct clocks. */
  nowMs(): number {
    return Date.now() + this.#sharedMs;
  }

  /** Suspends restores of an advertiser's wallet once they have read the rows. */
  holdRestores(advertiserId: string): void {
    rmSync(this.#heldRestore, { force: true });
    writeFileSync(this.#restoreGate, advertiserId);
  }

  isRestoreHeld(): boolean {
    return existsSync(this.#heldRestore);
  }

  letRestoresGo(): void {
    rmSync(this.#restoreGate, { force: true });
  }

  get #restoreGate(): string {
    return join(this.#clockDir, "restore");
  }

  get #heldRestore(): string {
    return `${this.#restoreGate}.held`;
  }

  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.postgres.url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends every fault. Resolves when all services are ready. */
  async heal(): Promise<void> {
    for (const node of this.redis.nodes) await node.bringBack();
    await this.postgres.bringBack();
    for (const proxy of [...this.redis.proxies, this.postgresProxy]) proxy.set({ kind: "pass" });
    for (const name of CLOCKS) this.setServiceClock(name, 0);
    await eventually(
      async () => {
        const { processes } = this.stack.describe();
        const answers = await Promise.all(
          processes.map(({ metricsUrl }) => fetch((metricsUrl ?? "").replace("/metrics", "/readyz"))),
        );
        return answers.length === SERVICES.length && answers.every((answer) => answer.ok);
      },
      { timeoutMs: READY_TIMEOUT_MS, everyMs: 100 },
    );
  }

  /** Stops everything and removes its files, unless they are kept as evidence. */
  async stop({ keepsFiles = false } = {}): Promise<void> {
    this.directRedis.disconnect();
    await this.stack.pressCtrlC();
    await this.postgresProxy.stop();
    await this.postgres.stop();
    await this.redis.stop();
    if (!keepsFiles) rmSync(this.dir, { recursive: true, force: true });
  }
}
