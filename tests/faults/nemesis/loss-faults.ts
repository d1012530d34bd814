import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type RedisConnection, walletIds } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { REDIS_CLOCK_KEY, type World } from "../topology/world.ts";
import { MAX_SLICES } from "../workload/slices.ts";
import { type Fault, type FaultContext, POSSIBLE_WITHIN_MS, requireCount, sleep } from "./fault.ts";

const APPEND_ONLY = "appendonlydir";
/** By then, commands in progress at the cut have been executed. */
const SETTLING_MS = 100;
const PATIENCE = { timeoutMs: POSSIBLE_WITHIN_MS, everyMs: 50 };

/** Redis loses everything, or everything since a time. What was nowhere else is lost, and recorded as such. */
export function lossFaults(): Fault[] {
  return [
    { name: "flush redis", track: "stores", inject: flush },
    { name: "older redis", track: "stores", inject: goBack },
  ];
}

/** Deletes all data of one server. A single Redis returns in the same step what only it had, while clients continue. */
async function flush(context: FaultContext): Promise<string> {
  const { world, history, random } = context;
  const index = random.integer(0, world.redis.nodes.length - 1);
  const node = world.redis.connectNode(index, "flush");
  try {
    if (world.variant === "cluster") {
      const { lost, gone } = await losing(context, index, async () => {
        const count = await node.dbsize();
        await node.flushall();
        return count;
      });
      return `${requireCount("keys gone", gone)}, ${lost} records lost`;
    }
    const clock = await eventually(async () => (await node.get(REDIS_CLOCK_KEY)) ?? "0", PATIENCE);
    const transaction = node.multi();
    for (const { advertiserId } of context.market.advertisers) {
      for (const walletId of walletIds(advertiserId, MAX_SLICES)) transaction.hkeys(`{${walletId}}:outbox`);
    }
    // The clock of the scripts is not data of the product.
    transaction.dbsize().flushall().set(REDIS_CLOCK_KEY, clock);
    history.sessionBreaksMs.push(Date.now());
    history.lossesMs.push(Date.now());
    const replies = (await transaction.exec()) ?? [];
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

/**
 * Loses a server's data while nobody can write to it, so that the impressions that only it had are known. Records them
 * as lost.
 */
export async function losing(
  { world, history }: FaultContext,
  index: number,
  lose: () => Promise<number>,
): Promise<{ lost: number; gone: number }> {
  const proxy = world.redis.proxies[index];
  proxy?.set({ kind: "cut" });
  const node = world.redis.connectNode(index, "lost");
  try {
    await sleep(SETTLING_MS);
    // A node that does not know its cluster yet executes nothing.
    const lost = await eventually(() => outboxesOf(node), PATIENCE);
    for (const impressionId of lost) history.lostImpressionIds.add(impressionId);
    history.sessionBreaksMs.push(Date.now());
    history.lossesMs.push(Date.now());
    const gone = await lose();
    history.sessionBreaksMs.push(Date.now());
    return { lost: lost.length, gone };
  } finally {
    node.disconnect();
    proxy?.set({ kind: "pass" });
  }
}

/** The records in all outboxes of a node, including one that is moving to it. */
async function outboxesOf(node: RedisConnection): Promise<string[]> {
  const ids: string[] = [];
  for (const key of await node.keys("{adv_*}:outbox")) {
    await node.call("ASKING").catch(() => undefined); // Only nodes of a cluster know that.
    ids.push(...(await node.hkeys(key)));
  }
  return ids;
}

/** One server returns with its data of some seconds ago. */
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
  // No writes from here on, so that the loss is known.
  proxy.set({ kind: "cut" });
  const before = await outboxOf(context, index);
  history.sessionBreaksMs.push(Date.now());
  history.lossesMs.push(Date.now());
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

async function outboxOf({ world }: FaultContext, index: number): Promise<string[]> {
  const node = world.redis.connectNode(index, "outbox");
  try {
    return await eventually(() => outboxesOf(node), PATIENCE);
  } finally {
    node.disconnect();
  }
}

async function restoreClock(world: World): Promise<void> {
  if (world.variant === "single") await eventually(() => world.setRedisClock(0).then(() => true), PATIENCE);
}
