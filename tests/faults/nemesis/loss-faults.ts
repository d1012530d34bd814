import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { RedisConnection } from "@diegetic/hot-state";
import { eventually } from "../../helpers/eventually.ts";
import { REDIS_CLOCK_KEY, type World } from "../topology/world.ts";
import { type Fault, type FaultContext, POSSIBLE_WITHIN_MS, requireCount, sleep } from "./fault.ts";

const APPEND_ONLY = "appendonlydir";
const PATIENCE = { timeoutMs: POSSIBLE_WITHIN_MS, everyMs: 50 };

/** Redis forgets: everything, or what happened since a moment. What was nowhere else is lost, and noted as such. */
export function lossFaults(): Fault[] {
  return [
    { name: "flush redis", lane: "stores", inject: flush },
    { name: "older redis", lane: "stores", inject: goBack },
  ];
}

/** All data of one server gone, in one step with the list of what only it had. */
async function flush(context: FaultContext): Promise<string> {
  const { world, history, random } = context;
  const index = random.integer(0, world.redis.nodes.length - 1);
  const node = world.redis.connectNode(index, "flush");
  try {
    const clock = await eventually(async () => (await node.get(REDIS_CLOCK_KEY).catch(() => null)) ?? "0");
    // A node that does not know its cluster yet executes nothing of it.
    const replies = await eventually(async () => {
      const transaction = node.multi();
      for (const id of await ownAdvertisers(context, node)) transaction.hkeys(`{${id}}:outbox`);
      transaction.dbsize();
      transaction.flushall();
      // The clock of the scripts is no data of the product.
      if (world.variant === "single") transaction.set(REDIS_CLOCK_KEY, clock);
      history.sessionBreaksMs.push(Date.now());
      return transaction.exec();
    }, PATIENCE);
    history.sessionBreaksMs.push(Date.now());
    let gone = 0;
    for (const [error, value] of replies) {
      if (error) throw error;
      if (typeof value === "number") gone = value;
      if (Array.isArray(value)) for (const id of value) history.lostImpressionIds.add(String(id));
    }
    return requireCount("keys gone", gone);
  } finally {
    node.disconnect();
  }
}

/** One server comes back with the data that it had some seconds ago. */
async function goBack(context: FaultContext): Promise<string> {
  const { world, history, random } = context;
  const index = random.integer(0, world.redis.nodes.length - 1);
  const server = world.redis.nodes[index];
  const proxy = world.redis.proxies[index];
  if (server === undefined || proxy === undefined) throw new Error("there is no such server");
  const copy = join(server.dir, "older");
  cpSync(join(server.dir, APPEND_ONLY), copy, { recursive: true });
  const forgottenMs = random.integer(1_000, 2_500);
  await sleep(forgottenMs);
  // Nobody writes any more from here on, so that what is lost is known.
  proxy.set({ kind: "cut" });
  const before = await outboxOf(context, index);
  history.sessionBreaksMs.push(Date.now());
  const { pid } = server;
  await server.takeAway("SIGKILL");
  await server.bringBackOn((dir) => {
    rmSync(join(dir, APPEND_ONLY), { recursive: true });
    renameSync(copy, join(dir, APPEND_ONLY));
  });
  const after = new Set(await outboxOf(context, index));
  const lost = before.filter((impressionId) => !after.has(impressionId));
  for (const impressionId of lost) history.lostImpressionIds.add(impressionId);
  await restoreClock(world);
  proxy.set({ kind: "pass" });
  history.sessionBreaksMs.push(Date.now());
  if (server.pid === pid) throw new Error("it was not restarted");
  return `${forgottenMs} ms forgotten, ${lost.length} records lost, ${after.size} that it still had`;
}

async function outboxOf(context: FaultContext, index: number): Promise<string[]> {
  const node = context.world.redis.connectNode(index, "outbox");
  try {
    return await eventually(async () => {
      const ids = await ownAdvertisers(context, node);
      return (await Promise.all(ids.map((id) => node.hkeys(`{${id}}:outbox`)))).flat();
    }, PATIENCE);
  } finally {
    node.disconnect();
  }
}

async function restoreClock(world: World): Promise<void> {
  if (world.variant === "single") await eventually(() => world.setRedisClock(0).then(() => true), PATIENCE);
}

/** The advertisers whose slot is on this node. */
async function ownAdvertisers({ world, market }: FaultContext, node: RedisConnection): Promise<string[]> {
  const ids = market.advertisers.map(({ advertiserId }) => advertiserId);
  if (world.variant === "single") return ids;
  const keys = new Set(await node.keys("*"));
  return ids.filter((id) => keys.has(`{${id}}:account`));
}
