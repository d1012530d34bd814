import type { RedisConnection } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { WRITTEN_BEFORE } from "../checker/aftermath.ts";
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
      const { written, repeated } = await eventually(async () => {
        const counts = await countDecided(world, charged);
        return counts.written + counts.repeated === charged.length && counts;
      }, PATIENCE);
      const refused = (await refusedCommands(nodes)) - refusedBefore;
      return `${requireCount("commands refused", refused)}, ${written} charged and written meanwhile, ${repeated} of billed operations`;
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
 * How many impressions are in Postgres, and how many others are quarantined as repeated: after a loss, a retry by an
 * Idempotency-Key may charge one of the matches although Postgres has billed that key already.
 */
async function countDecided(
  world: World,
  impressionIds: readonly string[],
): Promise<{ written: number; repeated: number }> {
  const count = async (sql: string, ...values: unknown[]) =>
    (await world.query<{ count: number }>(sql, [impressionIds, ...values]))[0]?.count ?? 0;
  const written = "SELECT count(*)::int AS count FROM impressions WHERE impression_id = ANY($1)";
  const repeated = `SELECT count(*)::int AS count FROM quarantined_impressions q
    WHERE impression_id = ANY($1) AND reason ~ $2
      AND NOT EXISTS (SELECT FROM impressions i WHERE i.impression_id = q.impression_id)`;
  return { written: await count(written), repeated: await count(repeated, WRITTEN_BEFORE.source) };
}
