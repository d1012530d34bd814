import type { ImpressionRecord } from "@diegetic/contracts";
import { createBillingProducer } from "@diegetic/hot-state";
import { eventually } from "../../helpers/eventually.ts";
import { whileHung } from "../topology/signals.ts";
import {
  type Fault,
  type FaultContext,
  POSSIBLE_WITHIN_MS,
  requireCount,
  runningPid,
  sleep,
} from "./fault.ts";

const PATIENCE = { timeoutMs: POSSIBLE_WITHIN_MS, everyMs: 100 };
/** More jobs come after the first one. Milliseconds. */
const GATHERING_MS = 500;

/** The queue between match and billing loses its jobs, or delivers them more than once. */
export function queueFaults(): Fault[] {
  return [
    {
      name: "wipe the queue",
      lane: "services",
      inject: async (context) => {
        // Jobs wait while billing hangs: those are lost with the queue.
        const wiped = await whileHung(await runningPid(context.world, "billing"), () =>
          eventually(() => wipeQueue(context), PATIENCE),
        );
        return requireCount("keys of jobs wiped", wiped);
      },
    },
    {
      name: "poison record",
      lane: "services",
      inject: async ({ world, market, history, random }) => {
        // Beside the records of an advertiser who is charged at this moment, so that they share their way.
        const advertiserId = await eventually(() => outboxOwner(world, market), PATIENCE);
        const id = `imp_poison_${random.integer(0, 1_000_000_000)}`;
        history.poisonIds.add(id);
        const text = random.pick(["{", "null", '{"match":{}}']);
        await eventually(() => world.directRedis.hset(`{${advertiserId}}:outbox`, id, text), PATIENCE);
        return `${text} in an outbox`;
      },
    },
    {
      name: "deliver jobs twice",
      lane: "services",
      inject: async (context) => {
        const records = await whileHung(await runningPid(context.world, "billing"), async () => {
          const waiting = await eventually(() => outboxRecords(context), PATIENCE);
          await deliver(context, waiting);
          return waiting;
        });
        // And again when they are written, or about to be.
        await sleep(300);
        await deliver(context, records.slice(Math.floor(records.length / 3)));
        return requireCount("records delivered again", records.length);
      },
    },
  ];
}

/** How many keys of jobs are gone; null: none is there yet, or their node cannot be asked at this moment. */
async function wipeQueue({ world }: FaultContext): Promise<number | null> {
  let jobs = 0;
  for (const [index] of world.redis.nodes.entries()) {
    const node = world.redis.connectNode(index, "wipe");
    try {
      const isJob = (key: string) => /:b[0-9a-f]{64}/.test(key);
      if (!(await node.keys("{billing}:*")).some(isJob)) continue;
      await sleep(GATHERING_MS);
      const keys = await node.keys("{billing}:*");
      await node.del(...keys);
      jobs += keys.filter(isJob).length;
    } finally {
      node.disconnect();
    }
  }
  return jobs > 0 ? jobs : null;
}

/** Null: nothing waits to be written. */
async function outboxOwner(
  world: FaultContext["world"],
  market: FaultContext["market"],
): Promise<string | null> {
  for (const { advertiserId } of market.advertisers) {
    if ((await world.directRedis.hlen(`{${advertiserId}}:outbox`)) > 0) return advertiserId;
  }
  return null;
}

/** Null: nothing waits to be written. */
async function outboxRecords({ world, market }: FaultContext): Promise<ImpressionRecord[] | null> {
  const records: ImpressionRecord[] = [];
  for (const { advertiserId } of market.advertisers) {
    records.push(...(await world.money.listOutbox(advertiserId, 200)).items);
  }
  return records.length > 0 ? records.slice(0, 450) : null;
}

/** As one job, and as jobs of other sizes that hold the same records. */
async function deliver({ world }: FaultContext, records: ImpressionRecord[]): Promise<void> {
  const producer = createBillingProducer(world.stack.describe().redisUrl, { name: "faults" });
  try {
    const half = Math.ceil(records.length / 2);
    await eventually(async () => {
      await producer.add(records);
      await producer.add(records.slice(0, half));
      await producer.add(records.slice(half - 1));
      return true;
    }, PATIENCE);
  } finally {
    await producer.close();
  }
}
