import { LockTimeout, StatementTimeout } from "@diegetic/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { snapshotKeys } from "../../../../../packages/hot-state/src/keys.ts";
import {
  activeCampaign,
  type Caller,
  createInstance,
  type Harness,
  startHarness,
} from "../../testing/harness.ts";
import { KnownSnapshot } from "../../testing/known-snapshot.ts";
import { pageOfRebuild } from "./published-rows.ts";

let harness: Harness;
let caller: Caller & { advertiserId: string };
let known: KnownSnapshot;
beforeAll(async () => {
  // Locks in these tests are held until the test ends.
  harness = await startHarness(undefined, { publishingLockWaitMs: 1_000 });
  known = await KnownSnapshot.follow(harness.redis);
  // Only the rounds of these tests mend anything.
  await harness.management.repairLoop.stop();
  caller = await harness.advertiser(100_000);
});
afterAll(async () => {
  await known.follower.stop();
  await harness.stop();
});

describe("the start of management", () => {
  /** The warnings of another instance on the same stores. */
  async function warningsOfStart(playerHashKey: string): Promise<{ level: number; msg: string }[]> {
    const lines: { level: number; msg: string }[] = [];
    const instance = createInstance(harness, undefined, undefined, {
      environment: { PLAYER_HASH_KEY: playerHashKey },
      logTo: { write: (line) => void lines.push(JSON.parse(line)) },
    });
    await instance.start();
    await instance.stop();
    return lines.filter(({ level }) => level >= 40);
  }

  it("records PLAYER_HASH_KEY once; with another key it goes on, and warns in one line", async () => {
    const { installation } = harness.management.database;
    const own = await installation.findFirstOrThrow();
    expect(await warningsOfStart("k".repeat(32))).toEqual([]);
    const warnings = await warningsOfStart("x".repeat(32));
    expect(warnings.map(({ msg }) => msg)).toEqual(["player hash key differs from the recorded one"]);
    expect(await installation.findFirstOrThrow()).toEqual(own);

    await installation.updateMany({ data: { playerHashKeyCheck: null } });
    expect(await warningsOfStart("x".repeat(32))).toEqual([]);
    expect(await warningsOfStart("k".repeat(32))).toHaveLength(1);
  });
});

describe("the repair loop", () => {
  it("publishes what a crash between commit and publishing left behind", async () => {
    const { campaignId } = await activeCampaign(caller);
    const { database, repairLoop } = harness.management;
    await caller
      .post("/placements/crashed", { creator_id: "c", placement_types: ["narrative_hook"] })
      .expect(201);
    const bump = { version: { increment: 1 } };
    await database.campaign.update({ where: { id: campaignId }, data: { status: "paused", ...bump } });
    await database.placement.update({ where: { gameId: "crashed" }, data: { isActive: false, ...bump } });
    await database.advertiser.update({
      where: { id: caller.advertiserId },
      data: { depositedMillicents: { increment: 5_000 }, ...bump },
    });
    const before = await harness.money.readAccount(caller.advertiserId);
    const campaign = () => database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    // For all that this round knows, a request has just committed it and is publishing it.
    await repairLoop.round();
    expect((await campaign()).publishedVersion).toBeLessThan((await campaign()).version);
    await repairLoop.round();
    const row = await campaign();
    expect(row.publishedVersion).toBe(row.version);
    expect(await harness.money.readCampaign(caller.advertiserId, campaignId)).toMatchObject({
      status: "paused",
    });
    expect(await harness.money.readAccount(caller.advertiserId)).toMatchObject({
      depositedMillicents: (before?.depositedMillicents ?? 0) + 5_000,
    });
    await eventually(
      async () =>
        (await known.campaign(campaignId)).status === "paused" &&
        !(await known.placement("crashed")).is_active,
    );
  });

  it("publishes the rest though a row of somebody cannot be published", async () => {
    const broken = await harness.advertiser();
    const { database, repairLoop } = harness.management;
    await caller
      .post("/placements/beside", { creator_id: "c", placement_types: ["narrative_hook"] })
      .expect(201);
    // Meets nothing unpublished, so that the next rounds meet both rows together.
    await repairLoop.round();
    const bump = { version: { increment: 1 } };
    await database.placement.update({ where: { gameId: "beside" }, data: { isActive: false, ...bump } });
    await database.advertiser.updateMany({
      where: { id: { in: [broken.advertiserId, caller.advertiserId] } },
      data: { depositedMillicents: { increment: 7_000 }, ...bump },
    });
    const before = await harness.money.readAccount(caller.advertiserId);
    const wallet = `{${broken.advertiserId}}:account`;
    await harness.redis.rename(wallet, `${wallet}:kept`);
    // No hash, as a wallet is.
    await harness.redis.set(wallet, "broken");
    await repairLoop.round();
    await expect(repairLoop.round()).rejects.toThrow("WRONGTYPE");
    expect(await harness.money.readAccount(caller.advertiserId)).toMatchObject({
      depositedMillicents: (before?.depositedMillicents ?? 0) + 7_000,
    });
    const ours = await database.advertiser.findUniqueOrThrow({ where: { id: caller.advertiserId } });
    expect(ours.publishedVersion).toBe(ours.version);
    await eventually(async () => !(await known.placement("beside")).is_active);
    await harness.redis.rename(`${wallet}:kept`, wallet);
    await repairLoop.round();
    const row = await database.advertiser.findUniqueOrThrow({ where: { id: broken.advertiserId } });
    expect(row.publishedVersion).toBe(row.version);
  });

  describe("while an unpublished row of somebody stays locked", () => {
    /** Runs `work` while a campaign is locked whose last change is not published. */
    async function whileLocked(work: () => Promise<void>): Promise<void> {
      const owner = await harness.advertiser(1_000);
      const { campaignId: id } = await activeCampaign(owner);
      const { database, repairLoop } = harness.management;
      await database.campaign.update({
        where: { id },
        data: { name: "Locked", version: { increment: 1 } },
      });
      // From now on the rounds know it as left behind.
      await repairLoop.round();
      await database.$transaction(
        async (transaction) => {
          await transaction.$queryRaw`SELECT set_config('idle_in_transaction_session_timeout', '0', true)`;
          await transaction.$queryRaw`SELECT id FROM campaigns WHERE id = ${id} FOR UPDATE`;
          await work();
        },
        { timeout: 120_000 },
      );
      await repairLoop.round();
      const row = await database.campaign.findUniqueOrThrow({ where: { id } });
      expect(row.publishedVersion).toBe(row.version);
    }

    it("publishes the others", async () => {
      const { database, repairLoop } = harness.management;
      await caller
        .post("/placements/others", { creator_id: "c", placement_types: ["narrative_hook"] })
        .expect(201);
      await whileLocked(async () => {
        const change = { isActive: false, version: { increment: 1 } };
        await database.placement.update({ where: { gameId: "others" }, data: change });
        for (let round = 0; round < 2; round++) {
          await expect(repairLoop.round()).rejects.toThrow(StatementTimeout);
        }
        await eventually(async () => !(await known.placement("others")).is_active);
      });
    });

    it("waits for it once, not in every round", () =>
      whileLocked(async () => {
        const { database, repairLoop } = harness.management;
        await expect(repairLoop.round()).rejects.toThrow(LockTimeout);
        let hasEnded = false;
        const round = repairLoop.round().finally(() => {
          hasEnded = true;
        });
        round.catch(() => undefined);
        let waiting = 0;
        while (!hasEnded) {
          const [seen] = await database.$queryRaw<{ count: number }[]>`
            SELECT count(*)::int AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          waiting += seen?.count ?? 0;
        }
        await expect(round).rejects.toThrow(LockTimeout);
        expect(waiting).toBe(0);
      }));

    it("rebuilds a lost snapshot", () =>
      whileLocked(async () => {
        await harness.redis.flushall();
        await harness.management.repairLoop.round().catch(() => undefined);
        expect(await harness.redis.exists(snapshotKeys.complete)).toBe(1);
        await eventually(() => known.follower.isFresh());
      }));
  });

  it("rebuilds a lost snapshot in pages that are not too large, whatever tenants have stored", async () => {
    const owner = await harness.advertiser();
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      const body = { name: `Large ${n}`, budget_cents: 1_000, cpm_bid_cents: 500 };
      ids.push((await owner.post("/campaigns", body).expect(201)).body.id);
    }
    const { database, repairLoop } = harness.management;
    await database.campaign.updateMany({ where: { id: { in: ids } }, data: { publishedBytes: 5_000_000 } });
    const after = await database.campaign.count({ where: { id: { lt: ids[0] ?? "" } } });
    const pages: string[][] = [];
    for (let last = ""; ; last = pages.at(-1)?.at(-1) ?? "") {
      const page = await pageOfRebuild(database, "campaign", last, 500);
      if (page.length === 0) break;
      pages.push(page);
    }
    expect(pages.flat().slice(after)).toEqual(ids);
    expect(pages.map((page) => page.filter((id) => ids.includes(id)).length)).toEqual([2, 2]);
    await harness.redis.flushall();
    await repairLoop.round();
    for (const id of ids) expect((await known.campaign(id)).campaign_id).toBe(id);
  });

  it("rebuilds a lost snapshot though the wallet of an unpublished row is broken", async () => {
    const broken = await harness.advertiser();
    const { database, repairLoop } = harness.management;
    await database.advertiser.update({
      where: { id: broken.advertiserId },
      data: { depositedMillicents: { increment: 7_000 }, version: { increment: 1 } },
    });
    const wallet = `{${broken.advertiserId}}:account`;
    await harness.redis.flushall();
    await harness.redis.set(wallet, "broken");
    await repairLoop.round();
    expect(await harness.redis.exists(snapshotKeys.version)).toBe(1);
    await eventually(() => known.follower.isFresh());
    await harness.redis.del(wallet);
    await repairLoop.round();
    await repairLoop.round();
    const row = await database.advertiser.findUniqueOrThrow({ where: { id: broken.advertiserId } });
    expect(row.publishedVersion).toBe(row.version);
  });

  it("publishes a row after pages of rows that cannot be published", async () => {
    const { database, repairLoop } = harness.management;
    const ids = Array.from({ length: 205 }, (_, index) => `adv_0${1_000 + index}`);
    await database.account.createMany({ data: ids.map((id) => ({ id: `acct_${id}`, label: id })) });
    await database.advertiser.createMany({
      data: ids.map((id) => ({
        id,
        accountId: `acct_${id}`,
        companyName: "Broken",
        contactEmail: `${id}@example.com`,
        contactEmailLower: `${id}@example.com`,
      })),
    });
    for (const id of ids) await harness.redis.set(`{${id}}:account`, "broken");
    await database.advertiser.update({
      where: { id: caller.advertiserId },
      data: { depositedMillicents: { increment: 7_000 }, version: { increment: 1 } },
    });
    const ours = () => database.advertiser.findUniqueOrThrow({ where: { id: caller.advertiserId } });
    for (let round = 0; round < 3; round++) await repairLoop.round().catch(() => undefined);
    await expect(repairLoop.round()).rejects.toThrow("WRONGTYPE");
    expect((await ours()).publishedVersion).toBe((await ours()).version);
    for (const id of ids) await harness.redis.del(`{${id}}:account`);
    await database.advertiser.deleteMany({ where: { id: { in: ids } } });
  });

  it("rebuilds everything after Redis has lost it, with what was spent", async () => {
    const owner = await harness.advertiser(10_000);
    const { campaignId } = await activeCampaign(owner);
    const { database, repairLoop } = harness.management;
    await database.advertiser.update({
      where: { id: owner.advertiserId },
      data: { spentMillicents: 1_500, impressions: 3 },
    });
    await database.campaign.update({
      where: { id: campaignId },
      data: { spentMillicents: 1_500, impressions: 3 },
    });
    const today = new Date(new Date().toISOString().slice(0, 10));
    await database.campaignRollup.create({
      data: {
        campaignId,
        day: today,
        impressions: 2,
        spentMillicents: 1_000,
        affinityScoreSum: 0,
        users: 1,
      },
    });
    await harness.redis.flushall();
    expect(await harness.money.readAccount(owner.advertiserId)).toBeNull();
    await repairLoop.round();
    expect(await harness.money.readAccount(owner.advertiserId)).toMatchObject({
      depositedMillicents: 10_000_000,
      spentMillicents: 1_500,
      impressions: 3,
    });
    expect(await harness.money.readCampaign(owner.advertiserId, campaignId)).toMatchObject({
      status: "active",
      spentMillicents: 1_500,
      daySpentMillicents: 1_000,
      impressions: 3,
    });
    await eventually(async () => (await known.campaign(campaignId)).status === "active");
  });

  it("restores a missing wallet although the snapshot exists", async () => {
    const owner = await harness.advertiser(10_000);
    const { campaignId } = await activeCampaign(owner);
    const keys = await harness.redis.keys(`{${owner.advertiserId}}:*`);
    await Promise.all(keys.map((key) => harness.redis.del(key)));
    await harness.management.repairLoop.round();
    expect(await harness.money.readAccount(owner.advertiserId)).not.toBeNull();
    expect(await harness.money.readCampaign(owner.advertiserId, campaignId)).toMatchObject({
      status: "active",
    });
  });
});
