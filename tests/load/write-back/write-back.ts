import { join } from "node:path";
import { startPostgres } from "@diegetic/local-stores";
import { apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { startStack } from "@diegetic/testing/stack";
import pg from "pg";
import { metric } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { Generator } from "../serving/processes.ts";
import { GAMES, gameName } from "../serving/world.ts";

/** Time from the answer to an impression until it is in Postgres, through the whole `npm start`. */
export const writeBack: Suite = { names: ["write-back"], run: measure };

const ADVERTISERS = 4;
const PLENTY_CENTS = 1_000_000_000;
const BID_CENTS = 500;
const CONNECTIONS = 32;
const POOL = "write-back";
const SPARE = 1.6;
const WRITTEN_WITHIN_MS = 60_000;

/** For impressions recorded since a time; Postgres provides the time of the commit. */
const LATENCIES = `
  SELECT count(*)::integer AS count,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99
  FROM (
    SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin) - recorded_at) * 1000 AS ms
    FROM impressions WHERE recorded_at >= $1
  ) AS latencies`;

interface Market {
  generator: Generator;
  port: number;
  key: string;
  database: pg.Client;
}

async function measure(run: Run): Promise<Metric[]> {
  const market = await openMarket(run);
  const durationMs = run.quick ? 1_500 : 4_000;
  await capacityOf(market, durationMs);
  const capacity = await capacityOf(market, durationMs);
  const rate = Math.round(capacity / 2);
  run.say(`${Math.round(capacity)} impressions a second are accepted at most`);
  const p50: number[] = [];
  const p99: number[] = [];
  for (let round = 0; round < run.rounds; round += 1) {
    const latencies = await latenciesAt(market, rate, durationMs);
    p50.push(latencies.p50);
    p99.push(latencies.p99);
  }
  const label = `impression accepted → in Postgres, at ${rate}/s`;
  const note = "half of what the whole local stack accepts on this machine";
  return [
    metric({ id: "write_back_p50_ms", label: `${label}, p50`, unit: "ms", note }, p50),
    metric(
      { id: "write_back_p99_ms", label: `${label}, p99`, unit: "ms", goal: { atMost: 1_000, aim: 250 } },
      p99,
    ),
  ];
}

/** The local stack with some campaigns, and games that accept them. */
async function openMarket(run: Run): Promise<Market> {
  const postgres = await startPostgres({
    dir: join(run.directory, "postgres"),
    settings: ["track_commit_timestamp=on"],
  });
  run.defer(() => postgres.stop());
  const environment = { DEMO: "0", DATABASE_URL: postgres.url, LOG_LEVEL: "warn" };
  const stack = await startStack({ dataDir: join(run.directory, "stack"), environment });
  run.defer(() => stack.pressCtrlC());
  const { baseUrl, matchUrls } = stack.describe();
  for (let advertiser = 0; advertiser < ADVERTISERS; advertiser += 1) {
    const api = apiClient(baseUrl, await stack.createKey(`advertiser-${advertiser}`));
    const plan = { depositCents: PLENTY_CENTS, budgetCents: PLENTY_CENTS, cpmBidCents: BID_CENTS };
    await startCampaign(api, plan);
  }
  const key = await stack.createKey("games");
  const studio = apiClient(baseUrl, key);
  await Promise.all(Array.from({ length: GAMES }, (_, game) => enableGame(studio, gameName(game))));
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  run.defer(() => database.end());
  const generator = await Generator.start();
  run.defer(() => generator.process.stop());
  run.say("the local stack runs");
  return { generator, port: Number(new URL(matchUrls[0] ?? "").port), key, database };
}

/** Accepted impressions per second; resolves when all of them are written. */
async function capacityOf(market: Market, durationMs: number): Promise<number> {
  await prepareMatches(market, (durationMs / 1_000) * 5_000);
  const load = { ports: [market.port], connections: CONNECTIONS, warmUpMs: durationMs / 4, durationMs };
  const { key } = market;
  const since = await now(market);
  const kind = { source: "impressions", pool: POOL, path: "/api/impressions", key } as const;
  const { answered, seconds, sent } = await market.generator.closed(load, kind);
  await written(market, since, sent);
  return answered / seconds;
}

async function latenciesAt(
  market: Market,
  rate: number,
  durationMs: number,
): Promise<{ p50: number; p99: number }> {
  await prepareMatches(market, Math.ceil((rate * durationMs * SPARE) / 1_000));
  const { key } = market;
  const since = await now(market);
  const load = { ports: [market.port], connections: CONNECTIONS, warmUpMs: 0, durationMs, rate };
  const kind = { source: "impressions", pool: POOL, path: "/api/impressions", key } as const;
  const { answered } = await market.generator.open(load, kind);
  return await written(market, since, answered);
}

async function prepareMatches({ generator, port, key }: Market, count: number): Promise<void> {
  const kind = { source: "match", pool: POOL, path: "/api/match", key, keepMatches: true } as const;
  const load = { ports: [port], connections: CONNECTIONS, warmUpMs: 0, durationMs: 60_000, atMost: count };
  await generator.closed(load, kind);
}

async function now({ database }: Market): Promise<string> {
  const { rows } = await database.query<{ now: string }>("SELECT clock_timestamp()::text AS now");
  return rows[0]?.now ?? "";
}

/** Waits until this many impressions recorded since then are in Postgres. Returns their latencies. */
async function written(
  { database }: Market,
  since: string,
  count: number,
): Promise<{ p50: number; p99: number }> {
  let latencies = { count: 0, p50: Number.NaN, p99: Number.NaN };
  await eventually(
    async () => {
      const { rows } = await database.query<typeof latencies>(LATENCIES, [since]);
      latencies = rows[0] ?? latencies;
      return latencies.count >= count;
    },
    { timeoutMs: WRITTEN_WITHIN_MS },
  );
  return { p50: Number(latencies.p50), p99: Number(latencies.p99) };
}
