import type { ImpressionRecord } from "@diegetic/contracts";
import { createBillingProducer } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { whileHung } from "../topology/signals.ts";
import { readWallets } from "../workload/slices.ts";
import {
  ALL_POSSIBLE_WITHIN_MS,
  type Fault,
  type FaultContext,
  requireCount,
  runningPid,
  sleep,
} from "./fault.ts";

const PATIENCE = { timeoutMs: ALL_POSSIBLE_WITHIN_MS, everyMs: 100 };
/** Maximum time that billing hangs while a fault waits for jobs or for Redis. */
const HUNG_PATIENCE = { timeoutMs: 3_000, everyMs: 100 };
/** Between attempts billing runs for as long as it hung, so that it does what another fault waits for. */
const REST_MS = 3_000;
/** More jobs arrive after the first one. Milliseconds. */
const GATHERING_MS = 500;

/** The queue between match and billing loses its jobs, or delivers them more than once. */
export function queueFaults(): Fault[] {
  return [
    {
      name: "wipe the queue",
      track: "services",
      inject: async (context) => {
        // Jobs wait while billing hangs, and are lost with the queue.
        const wiped = await whileBillingHangs(context, () => wipeQueue(context));
        return requireCount("keys of jobs wiped", wiped);
      },
    },
    {
      name: "quarantined record",
      track: "services",
      inject: async ({ world, history, random }) => {
        // Next to the records of an advertiser that is being charged, so that they share a batch.
        const walletId = await eventually(() => outboxOwner(world), PATIENCE);
        const id = `imp_poison_${random.integer(0, 1_000_000_000)}`;
        history.quarantinedIds.add(id);
        const text = random.pick(["{", "null", '{"match":{}}']);
        await eventually(() => world.directRedis.hset(`{${walletId}}:outbox`, id, text), PATIENCE);
        return `${text} in an outbox`;
      },
    },
    {
      name: "deliver jobs twice",
      track: "services",
      inject: async (context) => {
        const records = await whileBillingHangs(context, async () => {
          const waiting = await outboxRecords(context);
          if (waiting !== null) await deliver(context, waiting);
          return waiting;
        });
        // Again after they are written, or just before.
        await sleep(300);
        await eventually(async () => {
          await deliver(context, records.slice(Math.floor(records.length / 3)));
          return true;
        }, PATIENCE);
        return requireCount("records delivered again", records.length);
      },
    },
  ];
}

/**
 * Hangs billing until the work returns something. Resumes billing between attempts, because a fault of the other track
 * may need it: a full Redis recovers only when billing writes.
 */
async function whileBillingHangs<T>({ world }: FaultContext, work: () => Promise<T | null>): Promise<T> {
  const done = await eventually(
    async () => ({
      value: await whileHung(await runningPid(world, "billing"), () => eventually(work, HUNG_PATIENCE)),
    }),
    { ...PATIENCE, everyMs: REST_MS },
  );
  return done.value;
}

/** Number of deleted job keys; null: no job yet, or its node is unreachable. */
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

/** The id of a wallet. Null: nothing waits to be written. */
async function outboxOwner(world: FaultContext["world"]): Promise<string | null> {
  for (const walletId of await walletsOf(world)) {
    if ((await world.directRedis.hlen(`{${walletId}}:outbox`)) > 0) return walletId;
  }
  return null;
}

/** Null: nothing waits to be written. */
async function outboxRecords({ world }: FaultContext): Promise<ImpressionRecord[] | null> {
  const records: ImpressionRecord[] = [];
  for (const walletId of await walletsOf(world)) {
    records.push(...(await world.money.listOutbox(walletId, 200)).items);
  }
  return records.length > 0 ? records.slice(0, 450) : null;
}

async function walletsOf(world: FaultContext["world"]): Promise<string[]> {
  return (await readWallets(world)).flatMap(({ walletIds }) => walletIds);
}

/** As one job, and as jobs of other sizes with the same records. */
async function deliver({ world }: FaultContext, records: ImpressionRecord[]): Promise<void> {
  const producer = createBillingProducer(world.stack.describe().redisUrl, { name: "faults" });
  try {
    const half = Math.ceil(records.length / 2);
    await producer.add(records);
    await producer.add(records.slice(0, half));
    await producer.add(records.slice(half - 1));
  } finally {
    await producer.close();
  }
}
