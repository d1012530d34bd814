import { installationId, Prisma } from "@diegetic/database";
import {
  createMoneyCommands,
  DueIndex,
  InstallationClaim,
  type MoneyCommands,
  type SnapshotEntry,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Caller, campaignBody, type Harness, startHarness } from "../../testing/harness.ts";
import { WalletRecovery } from "../wallet-recovery/wallet-recovery.ts";
import { Publishing } from "./publishing.ts";

const logger = createLogger({ service: "management", instance: "test", level: "silent" });

let harness: Harness;
let caller: Caller & { advertiserId: string };
let other: Caller & { advertiserId: string };
let ids: string[];
beforeAll(async () => {
  harness = await startHarness();
  // Only this test publishes.
  await harness.management.repairLoop.stop();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  [caller, other] = [await harness.advertiser(1_000), await harness.advertiser(1_000)];
  ids = await Promise.all([caller, caller, other, caller].map(newCampaign));
});

async function newCampaign(by: Caller): Promise<string> {
  return (await by.post("/campaigns", campaignBody).expect(201)).body.id;
}

/** Publishing whose first `applyCampaign` waits, and the entries of each command to the snapshot. */
function heldBack(groupStalledAfterMs = 60_000) {
  const { redis, pipeline } = harness;
  const { database } = harness.management;
  const money = createMoneyCommands(redis);
  const claim = new InstallationClaim(redis, () => installationId(database));
  const published: string[][] = [];
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isReached = false;
  const wallets: MoneyCommands = {
    ...money,
    applyCampaign: async (campaign) => {
      const isFirst = !isReached;
      isReached = true;
      if (isFirst) await opened;
      return money.applyCampaign(campaign);
    },
  };
  const parts = { database, pipeline, wallets, claim, nowMs: Date.now, logger };
  const recovery = new WalletRecovery({
    ...parts,
    due: new DueIndex(redis),
    metrics: createMetrics({ service: "management" }),
  });
  class Counting extends SnapshotPublisher {
    override publish(entries: readonly SnapshotEntry[]): Promise<number> {
      published.push(entries.map(({ name }) => name));
      return super.publish(entries);
    }
  }
  const publishing = new Publishing({
    ...parts,
    recovery,
    snapshot: new Counting(redis),
    groupStalledAfterMs,
  });
  return { publishing, published, open, reached: () => eventually(() => isReached) };
}

async function rename(campaignIds: readonly string[]): Promise<void> {
  await harness.management.database.campaign.updateMany({
    where: { id: { in: [...campaignIds] } },
    data: { budgetCents: 20_000, version: { increment: 1 } },
  });
}

async function isPublished(id: string): Promise<boolean> {
  const row = await harness.management.database.campaign.findUniqueOrThrow({ where: { id } });
  return row.publishedVersion === row.version;
}

async function budgetInRedis(owner: { advertiserId: string }, id: string): Promise<number | undefined> {
  return (await harness.money.readCampaign(owner.advertiserId, id))?.budgetMillicents;
}

/** Publishes the first campaign, and all others while that is on its way. */
async function publishWhileOneIsOnItsWay(
  { publishing, open, reached }: ReturnType<typeof heldBack>,
  ...wanted: string[]
): Promise<PromiseSettledResult<void>[]> {
  const [first, ...others] = wanted;
  const publications = [publishing.publishAndWait("campaign", first ?? "")];
  await reached();
  publications.push(...others.map((id) => publishing.publishAndWait("campaign", id)));
  open();
  return Promise.allSettled(publications);
}

const statuses = (results: PromiseSettledResult<void>[]) => results.map(({ status }) => status);

describe("changes of campaigns while a publication is on its way", () => {
  it("are published together, each once, and are in Redis", async () => {
    await rename(ids);
    const publication = heldBack();
    const [first, second, third, fourth] = ids as [string, string, string, string];
    const results = await publishWhileOneIsOnItsWay(publication, first, second, third, fourth, second);
    expect(statuses(results)).toEqual(Array(5).fill("fulfilled"));
    expect(publication.published.map((names) => names.length)).toEqual([1, 3]);
    for (const id of ids) expect(await isPublished(id)).toBe(true);
    expect(await budgetInRedis(other, third)).toBe(20_000_000);
  });

  it("shows a change that is committed after an earlier one of the same campaign was read", async () => {
    const [first] = ids as [string];
    const publication = heldBack();
    await rename([first]);
    const before = publication.publishing.publishAndWait("campaign", first);
    await publication.reached();
    // The row is locked until the first publication has applied it.
    const changed = rename([first]).then(() => publication.publishing.publishAndWait("campaign", first));
    publication.open();
    await Promise.all([before, changed]);
    expect(await isPublished(first)).toBe(true);
    expect(publication.published).toHaveLength(2);
  });

  it("are in force although the state of another advertiser is frozen; that one's is not marked as published", async () => {
    const [first, second, third] = ids as [string, string, string];
    await rename(ids);
    const wallet = `{${other.advertiserId}}`;
    await harness.redis.hset(`${wallet}:account`, "lineage", "another");
    await harness.redis.set(`${wallet}:restoring`, "somebody else", "PX", 600_000);
    const results = await publishWhileOneIsOnItsWay(heldBack(), first, second, third);
    expect(statuses(results)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(results[2]).toMatchObject({ reason: { status: 503 } });
    expect([await isPublished(second), await isPublished(third)]).toEqual([true, false]);
    await harness.redis.del(`${wallet}:restoring`);
    await harness.management.publishing.publishAndWait("campaign", third);
    expect(await isPublished(third)).toBe(true);
    expect(await budgetInRedis(other, third)).toBe(20_000_000);
  });

  it("are in force although one of them fails for a reason of its own", async () => {
    const [first, second, third] = ids as [string, string, string];
    await rename(ids);
    // No hash, as a wallet is.
    await harness.redis.set(`{${other.advertiserId}}:account`, "broken");
    const results = await publishWhileOneIsOnItsWay(heldBack(), first, second, third);
    expect(statuses(results)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect([await isPublished(second), await isPublished(third)]).toEqual([true, false]);
  });

  it("do not wait for a group that stalls", async () => {
    const [first, second, third] = ids as [string, string, string];
    await rename(ids);
    const publication = heldBack(1);
    const stalled = publication.publishing.publishAndWait("campaign", first);
    await publication.reached();
    await Promise.all([second, third].map((id) => publication.publishing.publishAndWait("campaign", id)));
    expect([await isPublished(first), await isPublished(second)]).toEqual([false, true]);
    publication.open();
    await stalled;
    expect(await isPublished(first)).toBe(true);
  });

  it("do not wait for a campaign that another transaction has locked", async () => {
    const [first, second, third] = ids as [string, string, string];
    await rename(ids);
    const publication = heldBack();
    let unlock: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    let isLocked = false;
    const holding = harness.pipeline.inTransaction(async (statements) => {
      await statements.query(Prisma.sql`SELECT id FROM campaigns WHERE id = ${third} FOR NO KEY UPDATE`);
      isLocked = true;
      await locked;
    });
    await eventually(() => isLocked);
    const before = publication.publishing.publishAndWait("campaign", first);
    await publication.reached();
    const free = publication.publishing.publishAndWait("campaign", second);
    const waiting = publication.publishing.publishAndWait("campaign", third);
    publication.open();
    await Promise.all([before, free]);
    expect([await isPublished(second), await isPublished(third)]).toEqual([true, false]);
    unlock();
    await Promise.all([holding, waiting]);
    expect(await isPublished(third)).toBe(true);
  });
});
