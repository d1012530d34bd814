import type { RedisConnection } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import type { World } from "../topology/world.ts";
import { attemptImpression } from "../workload/players.ts";
import { ALL_POSSIBLE_WITHIN_MS, type Fault, type FaultContext, requireCount, sleep } from "./fault.ts";
import { holdMatches, recordUntilKnown } from "./held-matches.ts";

const HELD = 6;
const LEAST_MS = 1_000;
const PATIENCE = { timeoutMs: ALL_POSSIBLE_WITHIN_MS, everyMs: 100 };

/**
 * Redis has no memory left. Until it recovers, nothing new is held, existing holds can be charged, and charges reach
 * Postgres without the queue.
 */
export function fullMemoryFault(): Fault {
  return { name: "fill redis", track: "stores", inject: fillRedis };
}

async function fillRedis(context: FaultContext): Promise<string> {
  const { world, market, history } = context;
  const { developer } = market;
  const nodes = world.redis.nodes.map((_, index) => world.redis.connectNode(index, "fill"));
  const limit = (bytes: number) =>
    Promise.all(nodes.map((node) => node.config("SET", "maxmemory", String(bytes))));
  try {
    const refusedBefore = await refusedCommands(nodes);
    const held = await holdMatches(context, developer, HELD);
    await limit(1);
    const startedMs = Date.now();
    try {
      await Promise.all(held.map((operation) => attemptImpression(developer, operation)));
      const charged = held.flatMap(({ answers }) => answers.map(({ impressionId }) => impressionId));
      await sleep(LEAST_MS);
      await eventually(async () => (await countDecided(world, charged)) === charged.length, PATIENCE);
      const refused = (await refusedCommands(nodes)) - refusedBefore;
      return `${requireCount("commands refused", refused)}, ${charged.length} charged and written or refused meanwhile`;
    } finally {
      history.fullSpans.push({ startedMs, endedMs: Date.now() });
      await eventually(() => limit(0), PATIENCE);
      for (const operation of held) await recordUntilKnown(developer, operation);
    }
  } finally {
    for (const node of nodes) node.disconnect();
  }
}

/** Number of commands that the servers refused for lack of memory. */
async function refusedCommands(nodes: readonly RedisConnection[]): Promise<number> {
  const texts = await Promise.all(nodes.map((node) => node.info("errorstats")));
  return texts.reduce((sum, text) => sum + Number(/^errorstat_OOM:count=(\d+)/m.exec(text)?.[1] ?? 0), 0);
}

/**
 * Counts the impressions that Postgres has, or has refused: after a loss, a request with an Idempotency-Key that is billed
 * already may have charged one of the matches.
 */
async function countDecided(world: World, impressionIds: readonly string[]): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM (
    SELECT impression_id FROM impressions WHERE impression_id = ANY($1)
    UNION SELECT impression_id FROM quarantined_impressions WHERE impression_id = ANY($1)) AS decided`;
  const [row] = await world.query<{ count: number }>(sql, [impressionIds]);
  return row?.count ?? 0;
}
