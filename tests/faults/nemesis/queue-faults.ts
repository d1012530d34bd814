import type { ImpressionRecord } from "@diegetic/contracts";
import { createBillingProducer } from "@diegetic/hot-state";
import { eventually } from "../../helpers/eventually.ts";
import { hang } from "../topology/signals.ts";
import { type Fault, type FaultContext, requireCount, sleep } from "./fault.ts";

/** The queue between match and billing loses its jobs, or delivers them more than once. */
export function queueFaults(): Fault[] {
  return [
    {
      name: "wipe the queue",
      lane: "services",
      inject: async (context) => {
        // Jobs wait while billing hangs: those are lost with the queue.
        const hanging = hang([context.world.stack.pidOf("billing")], 1_500);
        await sleep(1_000);
        const wiped = await wipeQueue(context);
        await hanging;
        return requireCount("keys of jobs wiped", wiped);
      },
    },
    {
      name: "deliver jobs twice",
      lane: "services",
      inject: async (context) => {
        const hanging = hang([context.world.stack.pidOf("billing")], 1_500);
        await sleep(1_000);
        const records = await outboxRecords(context);
        await deliver(context, records);
        await hanging;
        // And again when they are written, or about to be.
        await sleep(300);
        await deliver(context, records.slice(Math.floor(records.length / 3)));
        return requireCount("records delivered again", records.length);
      },
    },
  ];
}

async function wipeQueue({ world }: FaultContext): Promise<number> {
  let jobs = 0;
  for (const [index] of world.redis.nodes.entries()) {
    const node = world.redis.connectNode(index, "wipe");
    try {
      await eventually(() => node.ping());
      const keys = await node.keys("{billing}:*");
      jobs += keys.filter((key) => /:b[0-9a-f]{64}/.test(key)).length;
      if (keys.length > 0) await node.del(...keys);
    } finally {
      node.disconnect();
    }
  }
  return jobs;
}

async function outboxRecords({ world, market }: FaultContext): Promise<ImpressionRecord[]> {
  const records: ImpressionRecord[] = [];
  for (const { advertiserId } of market.advertisers) {
    const page = await eventually(() => world.money.listOutbox(advertiserId, 200));
    records.push(...page.items);
  }
  return records.slice(0, 450);
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
    });
  } finally {
    await producer.close();
  }
}
