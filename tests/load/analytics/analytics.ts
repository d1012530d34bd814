import { Agent, get } from "node:http";
import { fileURLToPath } from "node:url";
import { migrate } from "@diegetic/database";
import { startPostgres, startRedis } from "@diegetic/local-stores";
import { median, metric, quantile } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { start } from "../serving/processes.ts";
import { ADVERTISER_KEY, BIG_CAMPAIGN, BIG_GAME, DEVELOPER_KEY, fill } from "./fill.ts";

/** The reads of advertisers and developers, over five million impressions. */
export const analytics: Suite = { names: ["analytics"], run: measure };

const MANAGEMENT = fileURLToPath(new URL("../../../services/management/bundle/main.js", import.meta.url));
const IMPRESSIONS = 5_000_000;
/** The first reads only the caller's rows: the minimum cost of any request. */
const ENDPOINTS: readonly [path: string, key: string][] = [
  ["/profile", ADVERTISER_KEY],
  [`/campaigns/${BIG_CAMPAIGN}/stats`, ADVERTISER_KEY],
  [`/campaigns/${BIG_CAMPAIGN}/analytics/daily?days=365`, ADVERTISER_KEY],
  [`/campaigns/${BIG_CAMPAIGN}/analytics/creatives`, ADVERTISER_KEY],
  [`/campaigns/${BIG_CAMPAIGN}/analytics/geo`, ADVERTISER_KEY],
  [`/campaigns/${BIG_CAMPAIGN}/analytics/affinities`, ADVERTISER_KEY],
  [`/campaigns/${BIG_CAMPAIGN}/analytics/pacing`, ADVERTISER_KEY],
  ["/revenue", ADVERTISER_KEY],
  ["/ledger", ADVERTISER_KEY],
  ["/creator-revenue", DEVELOPER_KEY],
  [`/creator-revenue/${BIG_GAME}`, DEVELOPER_KEY],
];

async function measure(run: Run): Promise<Metric[]> {
  const impressions = run.quick ? IMPRESSIONS / 20 : IMPRESSIONS;
  const requests = run.quick ? 100 : 200;
  const postgres = await startPostgres({ dir: `${run.directory}/postgres` });
  run.defer(() => postgres.stop());
  const redis = await startRedis({ dir: `${run.directory}/redis` });
  run.defer(() => redis.stop());
  await migrate(postgres.url);
  await fill(postgres.url, impressions);
  run.say(`what ${impressions} impressions leave behind is there`);
  const service = await start(MANAGEMENT, [], {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    INSTANCE_NAME: "management-bench",
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a secret of more than thirty-two characters",
    LOG_LEVEL: "error",
  });
  run.defer(() => service.stop());
  const metrics: Metric[] = [];
  for (const connections of [1, 4]) {
    const caller = new Caller(service.port, connections);
    const samples = ENDPOINTS.map(() => [] as Sample[]);
    for (let round = -1; round < run.rounds; round += 1) {
      for (const [index, [path, key]] of ENDPOINTS.entries()) {
        const taken = await caller.latencies(path, key, requests);
        if (round < 0) continue;
        samples[index]?.push({ p50Ms: quantile(taken, 0.5), p99Ms: quantile(taken, 0.99) });
      }
    }
    caller.close();
    const reads = ENDPOINTS.map(([path], index) => p99Metric(path, connections, samples[index] ?? []));
    metrics.push(...reads, slowest(reads, connections));
  }
  return metrics;
}

interface Sample {
  p50Ms: number;
  p99Ms: number;
}

function p99Metric(path: string, connections: number, samples: readonly Sample[]): Metric {
  const template = path.replace(BIG_CAMPAIGN, "{id}").replace(BIG_GAME, "{game_id}");
  const name = template
    .replace(/\?.*/, "")
    .replace(/[^a-z]+/g, "_")
    .replace(/^_|_$/g, "");
  return metric(
    {
      id: `analytics_${name}_${connections}_p99_ms`,
      label: `${template}, ${connectionsInWords(connections)}`,
      unit: "ms p99",
      note: `p50 ${median(samples.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms`,
    },
    samples.map(({ p99Ms }) => p99Ms),
  );
}

/** Of the metrics of all reads, the one with the highest p99, as the figure that has the goal. */
function slowest(reads: readonly Metric[], connections: number): Metric {
  const [worst] = [...reads].sort((left, right) => right.median - left.median);
  if (worst === undefined) throw new Error("no read was measured");
  return {
    ...worst,
    id: `analytics_slowest_${connections}_p99_ms`,
    label: `slowest of ${reads.length} analytics reads, ${connectionsInWords(connections)}, p99`,
    unit: "ms",
    goal: { atMost: 20, aim: 5 },
    note: worst.label,
  };
}

function connectionsInWords(connections: number): string {
  return connections === 1 ? "one connection" : `${connections} connections`;
}

/** A closed loop: each connection sends the next request after the answer. */
class Caller {
  readonly #port: number;
  readonly #connections: number;
  readonly #agent: Agent;

  constructor(port: number, connections: number) {
    this.#port = port;
    this.#connections = connections;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Per request, in milliseconds. */
  async latencies(path: string, key: string, requests: number): Promise<number[]> {
    const latencies: number[] = [];
    let left = requests;
    const loop = async () => {
      while (left > 0) {
        left -= 1;
        latencies.push(await this.#time(path, key));
      }
    };
    await Promise.all(Array.from({ length: this.#connections }, loop));
    return latencies;
  }

  close(): void {
    this.#agent.destroy();
  }

  #time(path: string, key: string): Promise<number> {
    const headers = { Authorization: `Bearer ${key}` };
    const options = { agent: this.#agent, host: "127.0.0.1", port: this.#port, path: `/api${path}`, headers };
    return new Promise((resolve, reject) => {
      const startedMs = performance.now();
      const request = get(options, (response) => {
        response.resume().once("end", () => {
          if (response.statusCode === 200) resolve(performance.now() - startedMs);
          else reject(new Error(`${path} answered ${response.statusCode}`));
        });
      });
      request.once("error", reject);
    });
  }
}
