import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "@diegetic/contracts";
import { createPipeline, Prisma, StatementTimeout, utcDay } from "@diegetic/database";
import { DueIndex } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { afterEach, describe, expect, it } from "@jest/globals";
import { activeCampaign, type Harness, startHarness } from "../../testing/harness.ts";
import { charge, hold, writeImpressions } from "../../testing/spending.ts";
import { beginEpochs } from "./load.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MANY_CAMPAIGNS = 1_000;
/** More than a restore counts. */
const LONG_OUTBOX = 10_001;
/** Less than a single lock may take. */
const LOCKED_MS = 400;

let harness: Harness;

afterEach(() => harness.stop());

/** Only the rounds of a test restore anything. */
async function startWithoutRounds(...options: Parameters<typeof startHarness>): Promise<Harness> {
  const started = await startHarness(...options);
  await started.management.repairLoop.stop();
  return started;
}

describe("WalletRecovery", () => {
  it("counts an advertiser's first wallet as created, and as forgotten what Redis has lost", async () => {
    harness = await startWithoutRounds();
    const { management, money, redis } = harness;
    const counted = async () => {
      const { text } = await harness.metrics.exposition();
      const of = (kind: string) =>
        Number(new RegExp(`wallets_restored_total\\{.*matches="${kind}".*\\} (\\d+)`).exec(text)?.[1] ?? 0);
      return { created: of("created"), forgotten: of("forgotten"), kept: of("kept") };
    };
    const advertiser = await harness.advertiser(10_000);
    const { advertiserId } = advertiser;
    await activeCampaign(advertiser, {});
    expect(await counted()).toEqual({ created: 1, forgotten: 0, kept: 0 });

    await redis.del(`{${advertiserId}}:account`);
    await management.repairLoop.round();
    await eventually(async () => (await money.readAccount(advertiserId)) !== null);
    expect(await counted()).toEqual({ created: 1, forgotten: 1, kept: 0 });
  });

  it("says of wallets what became of them, and warns only where matches are void", async () => {
    const lines: { level: number; notice?: string; wallets?: number; msg: string }[] = [];
    harness = await startWithoutRounds(undefined, {
      logTo: { write: (line) => void lines.push(JSON.parse(line)) },
    });
    const { management, redis } = harness;
    const { advertiserId } = await harness.advertiser(10_000);
    const logged = async (change: () => Promise<unknown>) => {
      lines.length = 0;
      await change();
      await management.repairLoop.round();
      await eventually(() => lines.some(({ wallets }) => wallets === 1));
      return lines.filter(({ wallets, notice }) => wallets ?? notice);
    };
    const kept = { level: 30, wallets: 1, msg: "wallets verified" };
    const void_ = { level: 40, wallets: 1, msg: expect.stringContaining("rebuilt") };
    expect(await logged(() => redis.hset(`{${advertiserId}}:account`, "lineage", "another"))).toEqual([
      expect.objectContaining(kept),
    ]);
    expect(await logged(() => redis.flushall())).toEqual([
      expect.objectContaining({ level: 40, notice: "lost" }),
      expect.objectContaining(void_),
    ]);
  });

  it("counts no wallet as lost whose advertiser had impressions before its first restore", async () => {
    const lines: { level: number; wallets?: number; msg: string }[] = [];
    harness = await startWithoutRounds(undefined, {
      logTo: { write: (line) => void lines.push(JSON.parse(line)) },
    });
    const { database, repairLoop } = harness.management;
    const account = await database.account.create({ data: { id: newId("acct"), label: "Imported" } });
    await database.advertiser.create({
      data: {
        id: newId("adv"),
        accountId: account.id,
        companyName: "Imported",
        contactEmail: "imported@example.com",
        contactEmailLower: "imported@example.com",
        depositedMillicents: 1_000n,
        spentMillicents: 500n,
        impressions: 1n,
      },
    });
    await repairLoop.round();
    const logged = () => lines.filter(({ wallets }) => wallets === 1);
    await eventually(() => logged().length > 0);
    expect(logged()).toMatchObject([{ level: 30, msg: "wallets created" }]);
  });

  it("brings a wallet back whose outbox holds what is no record", async () => {
    harness = await startWithoutRounds();
    const { management, money, redis } = harness;
    const advertiser = await harness.advertiser(10_000);
    const { advertiserId } = advertiser;
    await activeCampaign(advertiser, {});
    await redis.hset(`{${advertiserId}}:outbox`, { imp_bad: "{", imp_null: "null", imp_none: "{}" });
    await redis.hset(`{${advertiserId}}:account`, "lineage", "another");
    const before = await money.readAccount(advertiserId);
    await management.repairLoop.round();
    await eventually(async () => (await money.readAccount(advertiserId))?.epoch !== before?.epoch);
  });

  it("leaves a wallet frozen while its outbox is too long to count, and tells billing to write it", async () => {
    harness = await startWithoutRounds();
    const { management, money, redis } = harness;
    const advertiser = await harness.advertiser(10_000);
    const { advertiserId } = advertiser;
    const { campaignId, creativeId } = await activeCampaign(advertiser, {});
    const before = await money.readAccount(advertiserId);
    const campaignVersion = (await money.readCampaign(advertiserId, campaignId))?.version ?? 0;
    const spending = { advertiserId, campaignId, creativeId, campaignVersion, priceMillicents: 500 };
    await hold(money, spending);
    const charged = await charge(money, spending);
    if (charged.outcome !== "charged" || charged.replay) throw new Error("not charged now");
    const records = Array.from({ length: LONG_OUTBOX }, () => {
      const id = newId("imp");
      return [id, JSON.stringify({ ...charged.record, impression_id: id })] as const;
    });
    const due = new DueIndex(redis);
    expect(await due.registered("outbox", 10)).toEqual([]);
    await redis.hset(`{${advertiserId}}:outbox`, Object.fromEntries(records));
    await redis.hset(`{${advertiserId}}:account`, "lineage", "another");
    await management.repairLoop.round();
    expect(await redis.hget(`{${advertiserId}}:account`, "epoch")).toBe(String(before?.epoch));
    expect(await due.registered("outbox", 10)).toMatchObject([{ walletId: advertiserId }]);

    await redis.hdel(`{${advertiserId}}:outbox`, ...records.map(([id]) => id));
    await eventually(async () => {
      await management.repairLoop.round();
      return (await money.readAccount(advertiserId))?.spentMillicents === 500;
    });
  });

  it("restores a wallet with many slices and campaigns", async () => {
    harness = await startWithoutRounds();
    const { management, money, redis } = harness;
    const { database } = management;
    const advertiser = await harness.advertiser(10_000);
    const { advertiserId } = advertiser;
    const { campaignId } = await activeCampaign(advertiser, {});
    const { id: _, ...row } = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
    const copies = Array.from({ length: MANY_CAMPAIGNS }, () => ({ ...row, id: newId("camp") }));
    await database.campaign.createMany({ data: copies });
    await database.advertiser.update({ where: { id: advertiserId }, data: { walletSlices: 64 } });
    // The second restore reads every campaign in each slice.
    for (let restore = 0; restore < 2; restore += 1) {
      const before = await money.readAccount(advertiserId);
      await redis.hset(`{${advertiserId}}:account`, "lineage", "another");
      // A round leaves to the next one what took too long.
      await eventually(async () => {
        await management.repairLoop.round();
        if ((await money.readAccount(advertiserId))?.epoch === before?.epoch) return false;
        const lineage = await redis.hget(`{${advertiserId}.63}:account`, "lineage");
        return /^[0-9a-f]{40}$/.test(lineage ?? "");
      });
    }
  });

  it("restores all wallets but the one whose row is locked", async () => {
    harness = await startWithoutRounds();
    const { management, money, redis } = harness;
    const { database, repairLoop } = management;
    const others = [await harness.advertiser(10_000), await harness.advertiser(10_000)];
    const locked = await harness.advertiser(10_000);
    await redis.flushall();
    const hasWallet = async ({ advertiserId }: { advertiserId: string }) =>
      (await money.readAccount(advertiserId)) !== null;
    await database.$transaction(
      async (transaction) => {
        await transaction.$queryRaw`SELECT id FROM advertisers WHERE id = ${locked.advertiserId} FOR UPDATE`;
        await repairLoop.round().catch(() => undefined);
        expect(await Promise.all([...others, locked].map(hasWallet))).toEqual([true, true, false]);
      },
      { timeout: 60_000 },
    );
    await repairLoop.round();
    expect(await hasWallet(locked)).toBe(true);
  });

  it("limits its waits for all locks of its transaction together", async () => {
    harness = await startHarness();
    const { databaseUrl, management } = harness;
    const callers = [];
    for (let index = 0; index < 8; index++) callers.push(await harness.advertiser());
    const ids = callers.map(({ advertiserId }) => advertiserId).sort();
    await management.repairLoop.stop();
    const lockers = createPipeline(databaseUrl, { poolSize: ids.length });
    let locked = 0;
    const isWaiting = async () => {
      const [waiting] = await management.database.$queryRaw<{ count: bigint }[]>`
        SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`;
      return (waiting?.count ?? 0n) > 0n;
    };
    const waiting = eventually(() => locked === ids.length).then(() => eventually(isWaiting));
    // The next lock begins to be waited for when the one before it ends.
    const locks = ids.map((id, index) =>
      lockers.inTransaction(async ({ query }) => {
        await query(Prisma.sql`SELECT id FROM advertisers WHERE id = ${id} FOR UPDATE`);
        locked += 1;
        await waiting;
        await sleep(LOCKED_MS * (index + 1));
      }),
    );
    await eventually(() => locked === ids.length);
    const known = new Map(ids.map((id) => [id, { epoch: 0, slices: 1 }]));
    const begun = beginEpochs(management.database, known, { day: utcDay(Date.now()), outbox: [] });
    await expect(begun).rejects.toThrow(StatementTimeout);
    await Promise.all(locks);
    await lockers.close();
  });

  it("counts a charge once that Postgres has of an earlier day", async () => {
    harness = await startWithoutRounds();
    const { management, money, redis } = harness;
    const { database } = management;
    const advertiser = await harness.advertiser(10_000);
    const { advertiserId } = advertiser;
    const { campaignId, creativeId } = await activeCampaign(advertiser, {});
    const campaignVersion = (await money.readCampaign(advertiserId, campaignId))?.version ?? 0;
    const spending = { advertiserId, campaignId, creativeId, campaignVersion, priceMillicents: 500 };
    await hold(money, spending);
    const charged = await charge(money, spending);
    if (charged.outcome !== "charged" || charged.replay) throw new Error("not charged now");
    const { impression_id: impressionId, match } = charged.record;
    const recordedAt = new Date(Date.now() - 5 * DAY_MS);
    const day = new Date(utcDay(recordedAt.getTime()));
    await database.$queryRaw`SELECT ensure_impression_partition(${day}::date)::text`;
    await database.impression.create({
      data: {
        day,
        impressionId,
        advertiserId,
        campaignId,
        creativeId,
        matchId: match.match_id,
        campaignVersion,
        gameId: match.game_id,
        developerAccountId: match.developer_account_id,
        userHash: match.user_hash,
        sessionKey: match.session_key,
        affinityScore: 0,
        affinities: [],
        priceMillicents: 500,
        revenueShareBasisPoints: 7_000,
        earningMicrocents: 350_000n,
        matchedAt: recordedAt,
        recordedAt,
      },
    });
    const counted = { spentMillicents: 500n, impressions: 1n };
    await database.advertiser.update({ where: { id: advertiserId }, data: counted });
    await database.campaign.update({ where: { id: campaignId }, data: counted });

    await redis.hset(`{${advertiserId}}:account`, "lineage", "another");
    const before = await money.readAccount(advertiserId);
    await management.repairLoop.round();
    const after = await eventually(async () => {
      const account = await money.readAccount(advertiserId);
      return account?.epoch !== before?.epoch && account;
    });
    expect(after).toMatchObject({ spentMillicents: 500, impressions: 1 });
  });

  it.each([
    ["ahead of", DAY_MS],
    ["behind", -DAY_MS],
  ])("keeps what is spent of a daily cap when its clock is %s that of Redis", async (_words, offMs) => {
    harness = await startWithoutRounds(() => Date.now() + offMs);
    const { management, money, redis } = harness;
    const advertiser = await harness.advertiser(10_000);
    const { advertiserId } = advertiser;
    const { campaignId, creativeId } = await activeCampaign(advertiser, { daily_cap_cents: 1 });
    const before = await money.readCampaign(advertiserId, campaignId);
    const campaignVersion = before?.version ?? 0;
    const spending = { advertiserId, campaignId, creativeId, campaignVersion, priceMillicents: 500 };
    for (let spent = 0; spent < 2; spent += 1) {
      expect(await hold(money, spending)).toMatchObject({ outcome: "held" });
      expect(await charge(money, spending)).toMatchObject({ outcome: "charged" });
    }

    await redis.hset(`{${advertiserId}}:account`, "lineage", "another");
    await management.repairLoop.round();
    const totals = await eventually(async () => {
      const found = await money.readCampaign(advertiserId, campaignId);
      return (await money.readAccount(advertiserId))?.spentMillicents === 1_000 && found;
    });
    expect(totals).toMatchObject({ day: utcDay(Date.now()), daySpentMillicents: 1_000 });
    expect(await hold(money, spending)).toMatchObject({ outcome: "refused", reason: "daily_cap" });
  });

  it("goes on with the later day when the clock of Redis was ahead", async () => {
    harness = await startWithoutRounds();
    const { management, money, redis } = harness;
    const advertiser = await harness.advertiser(10_000);
    const { advertiserId } = advertiser;
    const { campaignId, creativeId } = await activeCampaign(advertiser, { daily_cap_cents: 1 });
    const tomorrow = utcDay(Date.now() + DAY_MS);
    await writeImpressions(management.database, {
      advertiserId,
      campaignId,
      creativeId,
      gameId: "game",
      accountId: advertiser.accountId,
      impressions: 2,
      priceMillicents: 500,
      day: tomorrow,
    });
    await redis.hset(`{${advertiserId}}:account`, "lineage", "another");
    await management.repairLoop.round();
    const totals = await eventually(async () => {
      const found = await money.readCampaign(advertiserId, campaignId);
      return (await money.readAccount(advertiserId))?.spentMillicents === 1_000 && found;
    });
    expect(totals).toMatchObject({ day: tomorrow, daySpentMillicents: 1_000 });
  });
});
