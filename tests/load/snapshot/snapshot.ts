import { join } from "node:path";
import { connectRedis, type RedisConnection, SnapshotPublisher } from "@diegetic/hot-state";
import { startRedis } from "@diegetic/local-stores";
import { eventually } from "@diegetic/testing/eventually";
import { metric, quantile } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { type Measured, type Probe, probe, startMatchService } from "../serving/processes.ts";
import { campaignEntry, campaignOf, publishWorld } from "../serving/world.ts";

/** Time of a running instance to load the snapshot and to apply a change, and the stall of its event loop. */
export const snapshot: Suite = { names: ["snapshot"], run: measure };

const SIZE = 100_000;
const QUICK_SIZE = 10_000;
const CHANGES = 300;
const PROPAGATION_TIMEOUT_MS = 10_000;
const LOADED_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 20;

interface Followed {
  redis: RedisConnection;
  publisher: SnapshotPublisher;
  instance: Measured;
  size: number;
}

interface Load {
  seconds: number;
  blockMs: number;
  collectionMs: number;
  turnMs: number;
}

interface Changes {
  propagationMs: number[];
  blockMs: number;
  collectionMs: number;
  turnMs: number;
}

async function measure(run: Run): Promise<Metric[]> {
  const store = await startRedis({ dir: join(run.directory, "snapshot") });
  run.defer(() => store.stop());
  const redis = connectRedis(store.url, { name: "benchmark", commandTimeoutMs: 60_000 });
  run.defer(() => redis.disconnect());
  const instance = await startMatchService(store.url, "match-1");
  run.defer(() => instance.stop());
  const publisher = new SnapshotPublisher(redis);
  const followed = { redis, publisher, instance, size: run.quick ? QUICK_SIZE : SIZE };
  const loads: Load[] = [];
  const changes: Changes[] = [];
  for (let round = 0; round < run.rounds; round += 1) {
    loads.push(await load(followed));
    changes.push(await change(followed, round));
    run.say(`round ${round + 1}: ${followed.size} campaigns are loaded, and ${CHANGES} changed`);
  }
  return [...metricsOfLoads(loads, followed.size), ...metricsOfChanges(changes, followed.size)];
}

/** Redis loses the snapshot; it is published again, and the instance starts over. */
async function load({ redis, instance, size }: Followed): Promise<Load> {
  await redis.flushall();
  await becomesReady(instance, false);
  // Watches only after publishing: the benchmark, Redis and a watched instance would compete for two cores.
  await publishWorld(redis, size, () => probe(instance, { collect: true, watch: true }));
  const completeMs = performance.now();
  await becomesReady(instance, true);
  const seconds = (performance.now() - completeMs) / 1_000;
  const { loop } = await probe(instance);
  return { seconds, ...waitsOf(loop) };
}

async function change({ publisher, instance, size }: Followed, round: number): Promise<Changes> {
  await probe(instance, { collect: true, watch: true });
  const propagationMs: number[] = [];
  for (let number = 0; number < CHANGES; number += 1) {
    const campaign = campaignOf((number * 37) % size, round * CHANGES + number + 2);
    const startedMs = performance.now();
    await publisher.awaitPropagation(
      await publisher.publish([campaignEntry(campaign)]),
      PROPAGATION_TIMEOUT_MS,
    );
    propagationMs.push(performance.now() - startedMs);
  }
  const { loop } = await probe(instance);
  return { propagationMs, ...waitsOf(loop) };
}

function waitsOf({ maxMs, maxCollectionMs, maxTurnMs }: Probe["loop"]) {
  return { blockMs: maxMs, collectionMs: maxCollectionMs, turnMs: maxTurnMs };
}

async function becomesReady({ port }: Measured, ready: boolean): Promise<void> {
  const isSo = async () => {
    const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`);
    return ok === ready;
  };
  await eventually(isSo, { timeoutMs: LOADED_WITHIN_MS, everyMs: LOOK_EVERY_MS });
}

function metricsOfLoads(loads: readonly Load[], size: number): Metric[] {
  const label = `snapshot of ${size} campaigns`;
  return [
    metric(
      { id: "snapshot_load_seconds", label: `${label}: published → served`, unit: "s" },
      loads.map((one) => one.seconds),
    ),
    metric(
      {
        id: "snapshot_load_block_ms",
        label: `${label}: longest block of the loop while it is loaded`,
        unit: "ms",
        goal: { atMost: 5 },
        note: noteOf(loads),
      },
      loads.map((one) => one.blockMs),
    ),
    metric(
      { id: "snapshot_load_turn_ms", label: `${label}: longest turn by processor time`, unit: "ms" },
      loads.map((one) => one.turnMs),
    ),
  ];
}

function metricsOfChanges(changes: readonly Changes[], size: number): Metric[] {
  const label = `one change among ${size} campaigns`;
  const at = (share: number) => changes.map(({ propagationMs }) => quantile(propagationMs, share));
  return [
    metric(
      { id: "snapshot_change_p50_ms", label: `${label}: published → applied, p50`, unit: "ms" },
      at(0.5),
    ),
    metric(
      {
        id: "snapshot_change_p99_ms",
        label: `${label}: published → applied, p99`,
        unit: "ms",
        goal: { atMost: 5 },
      },
      at(0.99),
    ),
    metric(
      {
        id: "snapshot_change_block_ms",
        label: `${label}: longest block of the loop`,
        unit: "ms",
        goal: { atMost: 5 },
        note: noteOf(changes),
      },
      changes.map((one) => one.blockMs),
    ),
    metric(
      { id: "snapshot_change_turn_ms", label: `${label}: longest turn by processor time`, unit: "ms" },
      changes.map((one) => one.turnMs),
    ),
  ];
}

function noteOf(rounds: readonly { collectionMs: number }[]): string {
  const longest = Math.max(...rounds.map((one) => one.collectionMs));
  return `longest garbage collection of all rounds: ${longest.toFixed(1)} ms`;
}
