import { installationId } from "@diegetic/database";
import {
  connectRedis,
  createMoneyCommands,
  DueIndex,
  ForeignRedis,
  hashSlotOwners,
  InstallationClaim,
  masterReplicationIds,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { signedUp } from "../../testing/browser.ts";
import { activeCampaign, type Caller, type Harness, startHarness } from "../../testing/harness.ts";
import { WalletRecovery } from "../wallet-recovery/wallet-recovery.ts";
import type { PublishedKind } from "./published-rows.ts";
import { Publishing } from "./publishing.ts";
import { RepairLoop } from "./repair-loop.ts";

const OWNER = "{snapshot}:installation";
const logger = createLogger({ service: "management", instance: "test", level: "silent" });
const metrics = () => createMetrics({ service: "management" });

let harness: Harness;
let caller: Caller & { advertiserId: string };
let ids: Record<PublishedKind, string>;
let ownId: string;

beforeAll(async () => {
  harness = await startHarness();
  const { database, repairLoop } = harness.management;
  await repairLoop.stop();
  ownId = await installationId(database);
  caller = await harness.advertiser(1_000);
  const { campaignId } = await activeCampaign(caller);
  await caller.post("/placements/own", { creator_id: "c", placement_types: ["narrative_hook"] }).expect(201);
  const apiKey = await database.apiKey.findFirstOrThrow({ where: { accountId: caller.accountId } });
  await signedUp(harness);
  const session = await database.accountSession.findFirstOrThrow();
  ids = {
    advertiser: caller.advertiserId,
    campaign: campaignId,
    placement: "own",
    apiKey: apiKey.id,
    session: session.id,
  };
});
afterAll(() => harness.stop());
beforeEach(() => becomeAnothers(ownId));

/** As if the address led to another Redis: one that an installation has just claimed. */
async function becomeAnothers(owner = "inst_other"): Promise<void> {
  await harness.redis.flushall();
  await harness.redis.set(OWNER, owner);
}

/** Without the reports of the harness's process, which may have checked Redis just before. */
async function contents(): Promise<unknown> {
  const keys = (await harness.redis.keys("*")).filter((key) => !key.startsWith("{processes}")).sort();
  return Promise.all(keys.map(async (key) => [key, await harness.redis.call("DUMP", key)]));
}

/** Everything that writes, as management puts it together. */
function parts() {
  const { redis, management, pipeline } = harness;
  const { database } = management;
  const claim = new InstallationClaim(redis, () => installationId(database));
  const wallets = createMoneyCommands(redis);
  const snapshot = new SnapshotPublisher(redis);
  const shared = { database, pipeline, wallets, claim, snapshot, nowMs: Date.now, logger };
  const recovery = new WalletRecovery({ ...shared, due: new DueIndex(redis), metrics: metrics() });
  return { ...shared, recovery };
}

type Recovery = Pick<WalletRecovery, "restoreFrozen">;

/** @param recoveries of the wallets that are looked at first, and of those that publishing meets */
function repairLoopWith(recoveries: { ofAll?: Recovery; ofPublishing?: Recovery }): RepairLoop {
  const { recovery, ...shared } = parts();
  return new RepairLoop({
    ...shared,
    publishing: new Publishing({ ...shared, recovery: recoveries.ofPublishing ?? recovery }),
    recovery: recoveries.ofAll ?? recovery,
    recordPlayerHashKey: async () => undefined,
    replicationIds: () => masterReplicationIds(harness.redis),
    owners: () => hashSlotOwners(harness.redis),
    metrics: metrics(),
  });
}

describe("a Redis of another installation gets nothing", () => {
  it.each<PublishedKind>(["advertiser", "campaign", "placement", "apiKey", "session"])(
    "when a row is published: %s",
    async (kind) => {
      await becomeAnothers();
      const before = await contents();
      await expect(new Publishing(parts()).publish(kind, [ids[kind]])).rejects.toThrow(ForeignRedis);
      expect(await contents()).toEqual(before);
    },
  );

  it("when wallets are restored", async () => {
    const { recovery } = parts();
    await becomeAnothers();
    const before = await contents();
    expect(await recovery.restoreFrozen([caller.advertiserId])).toBe(1);
    expect(await contents()).toEqual(before);

    await becomeAnothers(ownId);
    expect(await recovery.restoreFrozen([caller.advertiserId])).toBe(0);
    expect(await harness.money.readAccount(caller.advertiserId)).toMatchObject({
      depositedMillicents: 1_000_000,
    });
  });

  it("when wallets are restored, and a reconnect after the check leads to it", async () => {
    const foreign = await startTestRedis();
    let target = harness.redisUrl;
    const proxy = await startStallingProxy(() => Number(new URL(target).port));
    const redis = connectRedis(`redis://127.0.0.1:${proxy.port}`, { name: "test" });
    const { database, ...shared } = parts();
    const claim = new InstallationClaim(redis, () => installationId(database));
    const recovery = new WalletRecovery({
      ...shared,
      database,
      wallets: createMoneyCommands(redis),
      claim: {
        check: async () => {
          await claim.check();
          target = foreign.url;
          // `once` of node:events would reject by the error of the broken connection.
          const closed = new Promise((resolve) => redis.once("close", resolve));
          proxy.breakConnections();
          await closed;
        },
      },
      due: new DueIndex(redis),
      metrics: metrics(),
    });
    const foreignRedis = connectTestRedis(foreign.url);
    await foreignRedis.set(OWNER, "inst_other");
    expect(await recovery.restoreFrozen([caller.advertiserId])).toBe(1);
    expect(await foreignRedis.keys("*")).toEqual([OWNER]);
    for (const connection of [redis, foreignRedis]) connection.disconnect();
    await Promise.all([proxy.stop(), foreign.stop()]);
  });

  it("when it comes to be met before everything is published anew", async () => {
    let before: unknown;
    const repairLoop = repairLoopWith({
      ofAll: {
        restoreFrozen: async () => {
          await becomeAnothers();
          before = await contents();
          return 0;
        },
      },
    });
    await expect(repairLoop.start()).rejects.toThrow(ForeignRedis);
    expect(before).toBeDefined();
    expect(await contents()).toEqual(before);
  });

  it("when it comes to be met while everything is published anew", async () => {
    // A row that is not published yet, of an advertiser whose state is still frozen.
    const { database } = harness.management;
    await database.campaign.update({ where: { id: ids.campaign }, data: { version: { increment: 1 } } });
    let before: unknown;
    const repairLoop = repairLoopWith({
      ofAll: { restoreFrozen: async () => 0 },
      ofPublishing: {
        restoreFrozen: async () => {
          if (before === undefined) await becomeAnothers();
          before ??= await contents();
          return 0;
        },
      },
    });
    await expect(repairLoop.start()).rejects.toThrow(ForeignRedis);
    expect(before).toBeDefined();
    expect(await contents()).toEqual(before);
  });

  it("when its readiness is requested, not even a claim", async () => {
    const { readiness } = harness.management;
    await harness.redis.flushall();
    await readiness.installation?.();
    expect(await contents()).toEqual([]);
    await becomeAnothers();
    await expect(readiness.installation?.()).rejects.toThrow(ForeignRedis);
  });
});
