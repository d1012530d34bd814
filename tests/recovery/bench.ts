import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@diegetic/database";
import { connectRedis } from "@diegetic/hot-state";
import { startPostgres, startRedis } from "@diegetic/local-stores";
import { optionsOfProcess } from "@diegetic/service-kit";
import { HashSlotMove } from "@diegetic/testing/hash-slot-move";
import { startRedisCluster } from "@diegetic/testing/redis-cluster";
import { ADVERTISERS, CAMPAIGNS_EACH, LOSSES, ManyAdvertisers } from "./recovery-time.fixture.ts";

/** `npm run bench:recovery`: time until all advertisers serve again, or those of a moved wallet. */
optionsOfProcess({}, "Usage: npm run bench:recovery");

const ROUNDS = 5;
const ALL_KEYS = 10_000;
const dir = await mkdtemp(join(tmpdir(), "diegetic-bench-recovery-"));

function row(what: string, timesMs: readonly number[]): void {
  const sorted = [...timesMs].map(Math.round).sort((a, b) => a - b);
  const [median, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  process.stdout.write(`| ${what} | ${median} | ${worst} |\n`);
}

async function onStores(
  start: (dir: string) => Promise<{ url: string; stop(): Promise<void> }>,
  work: (many: ManyAdvertisers) => Promise<void>,
): Promise<void> {
  const postgres = await startPostgres({ dir: await mkdtemp(join(dir, "postgres-")) });
  const redis = await start(await mkdtemp(join(dir, "redis-")));
  await migrate(postgres.url);
  const many = await ManyAdvertisers.open({ databaseUrl: postgres.url, redisUrl: redis.url });
  try {
    await work(many);
  } finally {
    await many.close();
    await redis.stop();
    await postgres.stop();
  }
}

process.stdout.write(
  `${ADVERTISERS} advertisers, ${ADVERTISERS * CAMPAIGNS_EACH} campaigns, ${ROUNDS} rounds\n\n`,
);
process.stdout.write("| Redis was | median ms | worst ms |\n| --- | ---: | ---: |\n");
try {
  await onStores(
    (path) => startRedis({ dir: path, appendonly: true }),
    async (many) => {
      for (const [name, lose] of Object.entries(LOSSES)) {
        const timesMs: number[] = [];
        for (let round = 0; round < ROUNDS; round += 1) timesMs.push(await many.timeRecovery(lose));
        row(name, timesMs);
      }
    },
  );
  const ports: number[] = [];
  await onStores(
    async (path) => {
      const cluster = await startRedisCluster({ dir: path, nodes: 3 });
      ports.push(...cluster.nodes.map(({ port }) => port));
      return cluster;
    },
    async (many) => {
      const nodes = ports.map((port) => ({
        connection: connectRedis(`redis://127.0.0.1:${port}`, { name: "bench" }),
        port,
      }));
      const timesMs: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const advertiserId = `adv_${1 + round}`;
        const move = await HashSlotMove.begin(nodes, advertiserId, (others) => others[0] ?? 0);
        await move.some(ALL_KEYS);
        await move.finish();
        timesMs.push(await many.timeUntilLive(advertiserId));
      }
      for (const { connection } of nodes) connection.disconnect();
      row("a cluster that moved a hash slot", timesMs);
    },
  );
} finally {
  await rm(dir, { recursive: true, force: true });
}
