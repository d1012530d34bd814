import { type Database, requireWritable } from "@diegetic/database";
import { type DueIndex, type RedisConnection, serverMemory } from "@diegetic/hot-state";
import { checkReadiness, type Metrics } from "@diegetic/service-kit";
import { runEach } from "./loops/for-each.ts";
import { oldestDueSeconds } from "./webhooks/deliveries.ts";

export interface StoreMonitorParts {
  database: Database;
  redis: RedisConnection;
  due: Pick<DueIndex, "due">;
  metrics: Metrics;
  nowMs: () => number;
}

const SAFE_SETTINGS = [
  ["maxmemory-policy", "noeviction"],
  ["appendonly", "yes"],
  ["appendfsync", "always"],
] as const;

/** Metrics of the stores themselves. Every billing process reports the same values. */
export class StoreMonitor {
  readonly #parts: StoreMonitorParts;
  readonly #gauges: ReturnType<typeof createGauges>;

  constructor(parts: StoreMonitorParts) {
    this.#parts = parts;
    this.#gauges = createGauges(parts.metrics);
  }

  /** Whether the stores answer and take writes. Never rejects: unavailability is a value, too. */
  async checkAvailability(): Promise<void> {
    const { checks } = await checkReadiness({
      redis: () => this.#measureRedis(),
      postgres: () => requireWritable(this.#parts.database),
    });
    for (const [store, outcome] of Object.entries(checks)) {
      this.#gauges.available.set({ store }, outcome === "ok" ? 1 : 0);
    }
  }

  /** Takes constant time, and asks every server of a cluster. */
  async #measureRedis(): Promise<void> {
    const { redis, due, nowMs } = this.#parts;
    const { usedBytes, maxBytes, unsafeSetting, oldestHoldSeconds } = this.#gauges;
    const servers = await serverMemory(redis);
    // A replaced server must not keep its last values.
    usedBytes.reset();
    maxBytes.reset();
    unsafeSetting.reset();
    for (const { node, ...server } of servers) {
      usedBytes.set({ node }, server.usedBytes);
      maxBytes.set({ node }, server.maxBytes);
      for (const [setting, safe] of SAFE_SETTINGS) {
        const value = server.settings[setting];
        unsafeSetting.set({ node, setting }, value === undefined ? -1 : value === safe ? 0 : 1);
      }
    }
    if (servers.some(({ isReplica }) => isReplica))
      throw new Error("the address of Redis leads to a replica");
    const [oldest] = await due.due("holds", nowMs(), 1);
    oldestHoldSeconds.set(oldest === undefined ? 0 : (nowMs() - oldest.dueMs) / 1_000);
  }

  /**
   * May take long on a large database, and then says nothing about its availability. Measures each value whether or not the
   * others can be read, then rejects with the first failure.
   */
  measurePostgres(): Promise<void> {
    const { database } = this.#parts;
    const { databaseBytes, webhooksDueSeconds, quarantined } = this.#gauges;
    return runEach(
      async () => {
        const [size] = await database.$queryRaw<[{ bytes: bigint }]>`
          SELECT pg_database_size(current_database()) AS bytes`;
        databaseBytes.set(Number(size.bytes));
      },
      async () =>
        quarantined.set(await database.quarantinedImpression.count({ where: { resolvedAt: null } })),
      async () => webhooksDueSeconds.set((await oldestDueSeconds(database)) ?? 0),
    );
  }
}

function createGauges(metrics: Metrics) {
  return {
    available: metrics.gauge("store_available", "1: the store answers and takes writes; 0: it does not", [
      "store",
    ]),
    usedBytes: metrics.gauge("redis_memory_used_bytes", "Memory that a Redis server uses", ["node"]),
    maxBytes: metrics.gauge("redis_memory_max_bytes", "Memory limit of a Redis server; 0: none", ["node"]),
    unsafeSetting: metrics.gauge(
      "redis_unsafe_setting",
      "1: with this setting a Redis server may lose money or impressions; 0: it may not; -1: not readable",
      ["node", "setting"],
    ),
    databaseBytes: metrics.gauge("postgres_database_size_bytes", "Size of the database on disk"),
    quarantined: metrics.gauge("billing_quarantined_records", "Unresolved quarantined records"),
    webhooksDueSeconds: metrics.gauge(
      "webhook_deliveries_oldest_due_seconds",
      "How long the oldest due delivery to a webhook has waited for its attempt; 0: none",
    ),
    oldestHoldSeconds: metrics.gauge(
      "billing_holds_oldest_expired_seconds",
      "How long the oldest expired hold has waited for its release; 0: none",
    ),
  };
}
