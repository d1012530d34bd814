import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reconcileAll } from "@diegetic/billing";
import { hashSlotOf, hashSlotOwners, walletIdOf, walletIds } from "@diegetic/hot-state";
import { startRedis } from "@diegetic/local-stores";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedisCluster } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type Served, Town } from "./town.fixture.ts";

const BUDGET = 60;
const PATIENCE = { timeoutMs: 60_000 };
const QUIET_WITHIN_MS = 60_000;
const closers: (() => Promise<unknown>)[] = [];

/** Addresses of the masters. */
let nodes: string[];
let town: Town;
/** Slices of the wallet: as few as lie on all masters. */
let slices: number;

beforeEach(async () => {
  const cluster = await startTestRedisCluster();
  closers.push(() => cluster.stop());
  nodes = cluster.url
    .replace("redis-cluster://", "")
    .split(",")
    .map((address) => `redis://${address}`);
  town = await Town.open(cluster.url, { depositCents: 10_000, budgetCents: BUDGET });
  closers.push(() => town.close());
  const owners = await hashSlotOwners(town.redis);
  const masters = new Set<string>();
  for (slices = 0; masters.size < nodes.length; slices += 1) {
    masters.add(owners.get(hashSlotOf(walletIdOf(town.advertiserId, slices))) ?? "");
  }
  await town.divide(slices);
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The master of a wallet, the id that it has in the cluster, and the other masters. */
async function masterOf(walletId: string): Promise<{ id: string; node: string; others: string[] }> {
  const id = (await hashSlotOwners(town.redis)).get(hashSlotOf(walletId)) ?? "";
  const ids = await Promise.all(nodes.map((node) => onNode(node, "CLUSTER", "MYID")));
  const node = nodes[ids.indexOf(id)];
  if (node === undefined) throw new Error(`no master has ${walletId}`);
  return { id, node, others: nodes.filter((one) => one !== node) };
}

async function onNode(url: string, command: string, ...values: string[]): Promise<string> {
  const connection = connectTestRedis(url);
  try {
    return String(await connection.call(command, ...values));
  } finally {
    connection.disconnect();
  }
}

/** Address of a replica that has everything of a master, and that every master knows. */
async function addReplica({ id, others }: Awaited<ReturnType<typeof masterOf>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "diegetic-replica-"));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  const { url, port, busPort, stop } = await startRedis({ dir, clusterNode: true });
  closers.push(() => stop());
  const [known] = others;
  if (known === undefined) throw new Error("there is one master only");
  await onNode(known, "CLUSTER", "MEET", "127.0.0.1", String(port), String(busPort));
  await eventually(() => onNode(url, "CLUSTER", "REPLICATE", id), PATIENCE);
  await eventually(
    async () => /master_link_status:up/.test(await onNode(url, "INFO", "replication")),
    PATIENCE,
  );
  const replicaId = await onNode(url, "CLUSTER", "MYID");
  await eventually(async () => {
    const views = await Promise.all(nodes.map((node) => onNode(node, "CLUSTER", "NODES")));
    return views.every((view) => new RegExp(`^${replicaId} .* slave ${id} `, "m").test(view));
  }, PATIENCE);
  return url;
}

/**
 * Waits until all slices on a master serve. Its first replica gives it another replication id, so they are restored, and a
 * failover during that would make their matches void.
 */
async function awaitServing({ id, node }: Awaited<ReturnType<typeof masterOf>>): Promise<void> {
  const owners = await hashSlotOwners(town.redis);
  const here = walletIds(town.advertiserId, slices).filter((one) => owners.get(hashSlotOf(one)) === id);
  await eventually(async () => {
    const replication = await onNode(node, "INFO", "replication");
    const verifiedOn = await Promise.all(here.map((one) => town.redis.hget(`{${one}}:account`, "lineage")));
    return verifiedOn.every((replicationId) => replication.includes(`master_replid:${replicationId}\r`));
  }, PATIENCE);
}

/** Ends a node; resolves when it no longer answers. */
async function endNode(url: string): Promise<void> {
  await onNode(url, "SHUTDOWN", "NOSAVE").catch(() => undefined);
  await eventually(
    () =>
      onNode(url, "PING").then(
        () => false,
        () => true,
      ),
    PATIENCE,
  );
}

/** Charged and open matches in slices on other masters. */
async function countElsewhere(lost: string): Promise<{ seen: number; open: number }> {
  const count = { seen: 0, open: 0 };
  for (const walletId of walletIds(town.advertiserId, slices)) {
    if ((await masterOf(walletId)).node === lost) continue;
    count.seen += (await town.money.readOwnTotals(walletId, town.campaignId))?.impressions ?? 0;
    count.open += await town.redis.zcard(`{${walletId}}:holds`);
  }
  return count;
}

/** How many impressions were answered with each status. */
async function statusesOf(matches: readonly Served[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = { 201: 0, 409: 0 };
  for (const match of matches) {
    const status = await town.statusOf(match);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

async function expectAudit(): Promise<void> {
  const { url: databaseUrl } = town.postgres;
  const report = await reconcileAll({ databaseUrl, redisUrl: town.redisUrl, quietWithinMs: QUIET_WITHIN_MS });
  expect(report.findings).toEqual([]);
  expect(report.verdict).toBe("agrees");
}

describe("a wallet in slices on several masters", () => {
  it("spends its budget to the last cent while a master fails over, and keeps its matches", async () => {
    await town.play(10);
    const open: Served[] = [];
    for (let i = 0; i < 15; i += 1) open.push(await town.served());
    const master = await masterOf(walletIdOf(town.advertiserId, slices - 1));
    // Otherwise it waits five seconds for further replicas.
    await onNode(master.node, "CONFIG", "SET", "repl-diskless-sync-delay", "0");
    const replica = await addReplica(master);
    await awaitServing(master);
    await endNode(master.node);
    await onNode(replica, "CLUSTER", "FAILOVER", "TAKEOVER");

    for (const match of open) expect(await town.statusOf(match)).toBe(201);
    const keyed = await town.served();
    const first = await town.keyedImpression(keyed, "a scene");
    expect(first.status).toBe(201);
    expect(await town.keyedImpression(keyed, "a scene")).toMatchObject({ status: 201, body: first.body });
    await town.play(BUDGET - 26);
    await town.agree(BUDGET);
    expect((await town.match()).status).toBe(204);
    for (const match of open) expect(await town.statusOf(match)).toBe(201);
    await town.agree(BUDGET);
    await expectAudit();
  });

  it.each([
    ["of a slice", () => slices - 1],
    ["of the advertiser's own wallet", () => 0],
  ])("loses no charge when the master %s forgets everything, and only its matches", async (_, sliceOf) => {
    const seen = await town.play(20);
    await town.agree(20);
    const open: Served[] = [];
    for (let i = 0; i < 10; i += 1) open.push(await town.served());
    const { node } = await masterOf(walletIdOf(town.advertiserId, sliceOf()));
    const kept = await countElsewhere(node);
    await onNode(node, "FLUSHALL");

    // The others are known to have lost nothing.
    expect(await statusesOf(seen)).toEqual({ 201: kept.seen, 409: 20 - kept.seen });
    expect(await statusesOf(open)).toEqual({ 201: kept.open, 409: 10 - kept.open });
    await town.play(BUDGET - 20 - kept.open);
    await town.agree(BUDGET);
    expect((await town.match()).status).toBe(204);
    for (const walletId of walletIds(town.advertiserId, slices)) {
      expect(await town.money.readOwnTotals(walletId, town.campaignId)).toMatchObject({ heldMillicents: 0 });
    }
    await expectAudit();
  });
});
