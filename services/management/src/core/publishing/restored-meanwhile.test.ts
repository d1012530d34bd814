import { installationId } from "@diegetic/database";
import {
  createMoneyCommands,
  DueIndex,
  hashSlotOwners,
  InstallationClaim,
  type MoneyCommands,
  masterReplicationIds,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { activeCampaign, campaignBody, type Harness, startHarness } from "../../testing/harness.ts";
import { WalletRecovery } from "../wallet-recovery/wallet-recovery.ts";
import { Publishing, WalletNotReady } from "./publishing.ts";
import { RepairLoop } from "./repair-loop.ts";

const logger = createLogger({ service: "management", instance: "test", level: "silent" });

/** How long publishing waits for a wallet that another instance restores. */
const WALLET_CLAIM_MS = 300;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness(undefined, { walletClaimMs: WALLET_CLAIM_MS });
  // Only this test restores and publishes.
  await harness.management.repairLoop.stop();
});
afterAll(() => harness.stop());

/** Another instance of management: its restores and its publishing, with these commands. */
function instance(wallets: Partial<MoneyCommands> = {}): {
  recovery: WalletRecovery;
  publishing: Publishing;
} {
  const { redis, pipeline } = harness;
  const { database } = harness.management;
  const parts = {
    database,
    pipeline,
    wallets: { ...createMoneyCommands(redis), ...wallets },
    claim: new InstallationClaim(redis, () => installationId(database)),
    nowMs: Date.now,
    logger,
  };
  const recovery = new WalletRecovery({
    ...parts,
    due: new DueIndex(redis),
    metrics: createMetrics({ service: "management" }),
  });
  return {
    recovery,
    publishing: new Publishing({ ...parts, recovery, snapshot: new SnapshotPublisher(redis) }),
  };
}

/** Holds a call back until it is opened. */
class Gate {
  isReached = false;
  open: () => void = () => undefined;
  readonly #opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  wait(): Promise<void> {
    this.isReached = true;
    return this.#opened;
  }
}

/** A restore that has read the rows of an advertiser and has not yet written them to Redis. */
async function restoreInProgress(advertiserId: string) {
  const before = new Gate();
  const { restoreWallet } = harness.money;
  const { recovery } = instance({
    restoreWallet: async (request) => {
      await before.wait();
      return restoreWallet(request);
    },
  });
  await harness.redis.hset(`{${advertiserId}}:account`, "lineage", "another");
  const restored = recovery.restoreFrozen([advertiserId]);
  await eventually(() => before.isReached);
  return {
    end: async () => {
      before.open();
      expect(await restored).toBe(0);
    },
  };
}

describe("a change that commits while an older version is being restored", () => {
  it("is in force in Redis before its campaign counts as published", async () => {
    const caller = await harness.advertiser(100_000);
    const { advertiserId } = caller;
    const { campaignId } = await activeCampaign(caller, { daily_cap_cents: 300 });
    const { database } = harness.management;
    const restore = await restoreInProgress(advertiserId);
    await database.campaign.update({
      where: { id: campaignId },
      data: { dailyCapCents: 100, version: { increment: 1 } },
    });
    const answers: string[] = [];
    const { publishing } = instance({
      applyCampaign: async (campaign) => {
        const answer = await harness.money.applyCampaign(campaign);
        answers.push(answer);
        return answer;
      },
    });
    const published = publishing.publish("campaign", [campaignId]);
    await eventually(() => answers.length > 0);
    await restore.end();
    await published;
    expect(answers).toEqual(["unknown_wallet", "applied"]);
    const row = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    expect(row.publishedVersion).toBe(row.version);
    expect(await harness.money.readCampaign(advertiserId, campaignId)).toMatchObject({
      version: row.version,
      dailyCapMillicents: 100_000,
    });
  });

  it("is in force in Redis before its deposit counts as published", async () => {
    const { advertiserId } = await harness.advertiser(1_000);
    const { database } = harness.management;
    const restore = await restoreInProgress(advertiserId);
    await database.advertiser.update({
      where: { id: advertiserId },
      data: { depositedMillicents: 3_000_000n, version: { increment: 1 } },
    });
    const answers: string[] = [];
    const { publishing } = instance({
      applyAccount: async (account) => {
        const answer = await harness.money.applyAccount(account);
        answers.push(answer);
        return answer;
      },
    });
    const published = publishing.publish("advertiser", [advertiserId]);
    await eventually(() => answers.length > 0);
    await restore.end();
    await published;
    const row = await database.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
    expect(row.publishedVersion).toBe(row.version);
    expect(await harness.money.readAccount(advertiserId)).toMatchObject({
      version: row.version,
      depositedMillicents: 3_000_000,
    });
  });
});

describe("a change of an advertiser whose state cannot be restored now", () => {
  it("does not count as published, is answered 503, and does not keep others from being published", async () => {
    const stuck = await harness.advertiser(1_000);
    const other = await harness.advertiser(1_000);
    const frozenId: string = (await stuck.post("/campaigns", campaignBody).expect(201)).body.id;
    const otherId: string = (await other.post("/campaigns", campaignBody).expect(201)).body.id;
    const { database, publishing } = harness.management;
    const rename = { name: "Winter", version: { increment: 1 } };
    await database.campaign.updateMany({ where: { id: { in: [frozenId, otherId] } }, data: rename });
    const wallet = `{${stuck.advertiserId}}`;
    await harness.redis.hset(`${wallet}:account`, "lineage", "another");
    await harness.redis.set(`${wallet}:restoring`, "somebody else", "PX", 600_000);

    await expect(publishing.publish("campaign", [frozenId, otherId])).rejects.toThrow(WalletNotReady);
    const rowOf = (id: string) => database.campaign.findUniqueOrThrow({ where: { id } });
    const isPublished = async (id: string) => {
      const { version, publishedVersion } = await rowOf(id);
      return publishedVersion === version;
    };
    expect([await isPublished(frozenId), await isPublished(otherId)]).toEqual([false, true]);
    const refused = await stuck.patch(`/campaigns/${frozenId}`, { budget_cents: 20_000 }).expect(503);
    expect(refused.body.detail).toContain("stored");
    // Two rounds: what only one has met is taken for a request that is just publishing.
    for (let round = 0; round < 2; round++) await harness.management.repairLoop.round();
    expect(await isPublished(frozenId)).toBe(false);

    await harness.redis.del(`${wallet}:restoring`);
    await harness.management.repairLoop.round();
    expect(await isPublished(frozenId)).toBe(true);
    expect(await harness.money.readCampaign(stuck.advertiserId, frozenId)).toMatchObject({
      budgetMillicents: 20_000_000,
    });
  });
});

describe("a repair loop that waits for wallets that another instance restores", () => {
  it("stops without them", async () => {
    const { advertiserId } = await harness.advertiser(1_000);
    await harness.redis.hset(`{${advertiserId}}:account`, "lineage", "another");
    await harness.redis.set(`{${advertiserId}}:restoring`, "somebody else", "PX", 600_000);
    let checks = 0;
    const { recovery, publishing } = instance({
      freezeUnlessLive: async (id, ...options) => {
        const found = await harness.money.freezeUnlessLive(id, ...options);
        if (found.state === "busy") checks += 1;
        return found;
      },
    });
    const { redis, management } = harness;
    const { database } = management;
    const loop = new RepairLoop({
      database,
      publishing,
      recovery,
      snapshot: new SnapshotPublisher(redis),
      claim: new InstallationClaim(redis, () => installationId(database)),
      recordPlayerHashKey: async () => undefined,
      replicationIds: () => masterReplicationIds(redis),
      owners: () => hashSlotOwners(redis),
      logger,
      metrics: createMetrics({ service: "management" }),
    });
    const started = loop.start();
    await eventually(() => checks > 0);
    await loop.stop();
    await started;
    // Otherwise it would check 80 times, and again.
    expect(checks).toBeLessThan(40);
    await redis.del(`{${advertiserId}}:restoring`);
  });
});
