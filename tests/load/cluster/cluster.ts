import { join } from "node:path";
import {
  connectRedis,
  createGameSessions,
  createMoneyCommands,
  createSliceGrants,
  type RedisConnection,
} from "@diegetic/hot-state";
import { startRedis } from "@diegetic/local-stores";
import { startRedisCluster } from "@diegetic/testing/redis-cluster";
import { metric } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { type Ask, Wallets } from "../scripts/wallets.ts";

/**
 * How the work of matches and impressions divides among the masters of a Redis Cluster, in processor time: all share the
 * cores of this machine, so the rate by the clock says little.
 */
export const cluster: Suite = { names: ["cluster"], run: measure };

const MASTERS = [1, 3, 6];
const ADVERTISERS = 600;
/** Of the wallet of one advertiser, for each master. */
const SLICES_PER_MASTER = [2, 8];
const ASKS = 5_000;
const QUICK_ASKS = 2_000;
/** For each master in use: about as many as an instance sends in one write under load. */
const AT_ONCE = 16;
const WARM_UPS = 1;
const SEEN_SHARE = 0.5;
/** Of a core, as in docs/scaling.md. */
const UTILISATION = 0.6;

interface Shape {
  advertisers: number;
  /** Of each wallet. */
  slices: number;
}

/** Of one round. */
interface Round {
  /** Processor time of all masters, for each match. */
  microseconds: number;
  /** Share of the master that works most. */
  busiestShare: number;
  matchesPerSecond: number;
}

async function measure(run: Run): Promise<Metric[]> {
  const metrics: Metric[] = [];
  for (const masters of MASTERS) {
    const { url, nodes } = await start(run, masters);
    const redis = connectRedis(url, { name: "benchmark", commandTimeoutMs: 60_000 });
    run.defer(() => redis.disconnect());
    const clients = nodes.map((node) => connectRedis(node.url, { name: "benchmark-info" }));
    run.defer(() => clients.forEach((client) => void client.disconnect()));
    for (const shape of shapesOf(masters)) {
      const { advertisers, slices } = shape;
      const atOnce = AT_ONCE * (advertisers * slices === 1 ? 1 : masters);
      const rounds: Round[] = [];
      for (let round = -WARM_UPS; round < run.rounds; round += 1) {
        // Others each time, because their names decide which masters have them.
        const slicing = { slices, grants: createSliceGrants(redis) };
        const wallets = new Wallets(createMoneyCommands(redis), createGameSessions(redis), {
          advertisers,
          slicing,
        });
        await wallets.open();
        const asks = wallets.asks(run.quick ? QUICK_ASKS : ASKS);
        const taken = await playAll(wallets, asks, atOnce, clients);
        if (round >= 0) rounds.push(taken);
      }
      metrics.push(...metricsOf(masters, shape, rounds));
    }
    run.say(`${masters} masters are measured`);
  }
  return metrics;
}

function shapesOf(masters: number): Shape[] {
  const hot = { advertisers: 1, slices: 1 };
  const sliced = SLICES_PER_MASTER.map((slices) => ({ advertisers: 1, slices: slices * masters }));
  return [{ advertisers: ADVERTISERS, slices: 1 }, hot, ...(masters === 1 ? [] : sliced)];
}

async function start(run: Run, masters: number): Promise<{ url: string; nodes: { url: string }[] }> {
  const dir = join(run.directory, `masters-${masters}`);
  if (masters === 1) {
    const store = await startRedis({ dir });
    run.defer(() => store.stop());
    return { url: store.url, nodes: [store] };
  }
  const started = await startRedisCluster({ dir, nodes: masters });
  run.defer(() => started.stop());
  return started;
}

/** A match each; every second one is seen. */
async function playAll(
  wallets: Wallets,
  asks: readonly Ask[],
  atOnce: number,
  masters: readonly RedisConnection[],
): Promise<Round> {
  const before = await Promise.all(masters.map(microsecondsOf));
  const startedMs = performance.now();
  for (let first = 0; first < asks.length; first += atOnce) {
    const turn = asks.slice(first, first + atOnce);
    await Promise.all(turn.map((ask) => wallets.admit(ask)));
    await Promise.all(turn.map((ask) => wallets.reserve(ask)));
    await Promise.all(turn.slice(0, turn.length * SEEN_SHARE).map((ask) => wallets.commit(ask)));
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = await Promise.all(masters.map(microsecondsOf));
  const spent = after.map((total, index) => total - (before[index] ?? 0));
  const sum = spent.reduce((total, one) => total + one, 0);
  return {
    microseconds: sum / asks.length,
    busiestShare: Math.max(...spent) / sum,
    matchesPerSecond: asks.length / seconds,
  };
}

/** Processor time of the thread that runs commands, since the server started. */
async function microsecondsOf(redis: RedisConnection): Promise<number> {
  const info = String(await redis.info("cpu"));
  const parts = [...info.matchAll(/used_cpu_(?:sys|user)_main_thread:([\d.]+)/g)];
  return parts.reduce((total, [, seconds]) => total + Number(seconds) * 1e6, 0);
}

function metricsOf(masters: number, { advertisers, slices }: Shape, rounds: readonly Round[]): Metric[] {
  const who = advertisers === 1 ? "one advertiser" : `${advertisers} advertisers`;
  const where = `${masters} ${masters === 1 ? "master" : "masters"}, ${who}${slices === 1 ? "" : ` in ${slices} slices`}`;
  const kind = slices === 1 ? "hot" : `sliced_${slices}`;
  const id = `cluster_${masters}_${advertisers === 1 ? kind : "spread"}`;
  const limit = ({ microseconds, busiestShare }: Round) =>
    (UTILISATION * 1e6) / (microseconds * busiestShare);
  return [
    metric(
      {
        id: `${id}_match_us`,
        label: `Redis, ${where}: a match, every second seen`,
        unit: "µs",
        note: "all masters",
      },
      rounds.map(({ microseconds }) => microseconds),
    ),
    metric(
      { id: `${id}_busiest_percent`, label: `Redis, ${where}: work of the busiest master`, unit: "%" },
      rounds.map(({ busiestShare }) => 100 * busiestShare),
    ),
    metric(
      {
        id: `${id}_limit_per_second`,
        label: `Redis, ${where}: matches at 60 % of the busiest master's core`,
        unit: "1/s",
        note: "computed",
      },
      rounds.map(limit),
    ),
    metric(
      {
        id: `${id}_per_master_per_second`,
        label: `Redis, ${where}: matches by the clock, each master`,
        unit: "1/s",
        note: "all on this machine's cores",
      },
      rounds.map(({ matchesPerSecond }) => matchesPerSecond / masters),
    ),
  ];
}
