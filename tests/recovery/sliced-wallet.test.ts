import { newId } from "@diegetic/contracts";
import { installationId } from "@diegetic/database";
import {
  createWalletReader,
  DueIndex,
  type HoldReference,
  InstallationClaim,
  type MoneyCommands,
  walletIdOf,
  walletIds,
} from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { lapseHolds } from "@diegetic/testing/lapse-holds";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { WalletRecovery } from "../../services/management/src/core/wallet-recovery/wallet-recovery.ts";
import { type Served, Town } from "./town.fixture.ts";

const SLICES = 4;
const BUDGET = 60;
/** Of the cases that share a town. */
const SHARED_BUDGET = 1_000;
const LATE_CHARGES = 10;
/** Late charges with which a restore begins without a list of them. */
const MAX_UNSETTLED = 20_000;
const PATIENCE = { timeoutMs: 60_000 };
/** Of a claim that nobody extends: others wait until it ends. */
const ABANDONED_CLAIM_MS = 200;
/** Of a claim that is extended while another instance waits for longer than this. A busy machine may extend it late. */
const HELD_CLAIM_MS = 2_500;
/** Characters of a match id before what it carries. */
const PLAIN_MATCH_ID = 30;
const LIMITS = { holds: 1_000, records: 1_000, lateMs: 60_000 };

let server: TestRedis;
let town: Town;

async function open(budgetCents: number): Promise<void> {
  server = await startTestRedis();
  town = await Town.open(server.url, { depositCents: 10_000, budgetCents });
  await town.play(2);
  // An impression that billing writes only after the division is a late charge.
  await town.agree(2);
  await town.divide(SLICES);
}

async function close(): Promise<void> {
  await town.close();
  await server.stop();
}

/** Impressions that each slice has charged since the wallet was restored, the advertiser's own wallet first. */
async function chargedBySlice(): Promise<number[]> {
  const totals = await Promise.all(
    walletIds(town.advertiserId, SLICES).map((id) => town.money.readOwnTotals(id, town.campaignId)),
  );
  return totals.map((one) => one?.impressions ?? 0);
}

async function heldBySlice(): Promise<number[]> {
  const totals = await Promise.all(
    walletIds(town.advertiserId, SLICES).map((id) => town.money.readOwnTotals(id, town.campaignId)),
  );
  return totals.map((one) => one?.heldMillicents ?? 0);
}

/** What a restart of Redis that forgets nothing does to every wallet. */
async function restartRedis(): Promise<void> {
  await town.redis.call("REPLICAOF", "127.0.0.1", "1");
  await town.redis.call("REPLICAOF", "NO", "ONE");
}

/** The recovery of another management instance. Without `claimMs`, its claims last as long as in production. */
function recoverer(overrides: Partial<MoneyCommands> = {}, claimMs?: number): WalletRecovery {
  const { database } = town.management;
  return new WalletRecovery({
    database,
    wallets: { ...town.money, ...overrides },
    due: new DueIndex(town.redis),
    claim: new InstallationClaim(town.redis, () => installationId(database)),
    nowMs: Date.now,
    logger: createLogger({ service: "recovery", instance: "test", level: "silent" }),
    metrics: createMetrics({ service: "recovery" }),
    claimMs,
  });
}

/** Writes an impression of an earlier epoch, as billing does, which the slice does not know. */
async function chargeLate(matchId: string, slice: number): Promise<void> {
  const { database } = town.management;
  const { advertiserId, campaignId } = town;
  const { recoveryEpoch } = await database.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
  await database.walletSettlement.create({
    data: {
      impressionId: matchId.replace("mat_", "imp_"),
      kind: "late",
      advertiserId,
      campaignId,
      gameId: "old-town",
      matchId,
      priceMillicents: 1_000n,
      day: new Date(new Date().toISOString().slice(0, 10)),
      committedInEpoch: recoveryEpoch - 1n,
      walletSlice: slice,
    },
  });
  const charge = { spentMillicents: { increment: 1_000n }, impressions: { increment: 1n } };
  await database.advertiser.update({ where: { id: advertiserId }, data: charge });
  await database.campaign.update({ where: { id: campaignId }, data: charge });
}

/** A match in the slice. */
async function matchIn(slice: number): Promise<Served> {
  const walletId = walletIdOf(town.advertiserId, slice);
  const heldIn = async () => (await town.money.readOwnTotals(walletId, town.campaignId))?.heldMillicents ?? 0;
  const before = await heldIn();
  for (let tries = 0; tries < BUDGET; tries += 1) {
    const match = await town.served();
    if ((await heldIn()) > before) return match;
    expect(await town.statusOf(match)).toBe(201);
  }
  throw new Error(`no match in slice ${slice}`);
}

/** As if every instance had ended before it noted the answers to requests with keys. */
async function loseAnswers(): Promise<void> {
  for (const key of (await town.redis.call("KEYS", "*idempotency*")) as string[]) {
    const claim = (await town.redis.call("GET", key)) as string;
    await town.redis.call("SET", key, claim.replace(/^kept\|([^|]*)\|.*$/, "claimed|$1|"));
  }
}

/** As if the node with what is known of requests with keys had lost it. */
async function loseClaims(): Promise<void> {
  for (const key of (await town.redis.call("KEYS", "*idempotency*")) as string[]) await town.redis.del(key);
}

/** The open holds of a slice. */
async function holdsIn(slice: number): Promise<HoldReference[]> {
  const walletId = walletIdOf(town.advertiserId, slice);
  const members = (await town.redis.call("ZRANGE", `{${walletId}}:holds`, "0", "-1")) as string[];
  return members.map((member) => {
    const [matchId = "", campaignId = "", gameId = "", sessionKey = "", developerAccountId = "", price] =
      member.split("|");
    const match = { matchId, walletId, campaignId, gameId, sessionKey, developerAccountId };
    return { ...match, priceMillicents: Number(price), matchedAtMs: null };
  });
}

/** Ends a hold before its time. */
async function lapse(hold: HoldReference): Promise<void> {
  await lapseHolds(town.redis, hold.walletId, (matchId) => matchId === hold.matchId);
  expect(await town.money.release(hold, "lapsed")).toBe("released");
}

/** Until the whole budget is held or spent: a slice that loses a grant meanwhile answers once that there is none. */
async function matchUntilNone(): Promise<Served[]> {
  const served: Served[] = [];
  await eventually(async () => {
    const { status, body } = await town.match();
    if (status === 200) served.push(body as Served);
    else expect(status).toBe(204);
    const totals = await town.money.readCampaign(town.advertiserId, town.campaignId);
    const used = (totals?.spentMillicents ?? 0) + (totals?.heldMillicents ?? 0);
    return status === 204 && used === BUDGET * 1_000;
  }, PATIENCE);
  return served;
}

describe("a wallet in slices", () => {
  beforeEach(() => open(BUDGET));
  afterEach(close);

  it("spends its budget to the last cent in all slices, and no more", async () => {
    const served = await matchUntilNone();
    for (const match of served) expect(await town.statusOf(match)).toBe(201);
    expect(served).toHaveLength(BUDGET - 2);
    for (const charged of await chargedBySlice()) expect(charged).toBeGreaterThan(0);
    await town.agree(BUDGET);
    // A repeated impression gets the same answer, and is written once.
    for (const match of served.slice(0, 8)) expect(await town.statusOf(match)).toBe(201);
    await town.agree(BUDGET);
  });

  it("pays an impression without a match id in any slice that has money for one", async () => {
    const first = await matchIn(1);
    await matchIn(2);
    await matchIn(0);
    const charged = await town.agree();
    const [lapsed] = await holdsIn(1);
    const [own] = await holdsIn(0);
    if (lapsed === undefined || own === undefined) throw new Error("there is no hold");
    await lapse(lapsed);
    await town.setBudget(charged + 1);
    expect(await town.money.release(own, "cancelled")).toBe("released");
    expect((await town.keyedImpression(first, "key")).status).toBe(201);
    await town.agree(charged + 1);
  });

  it("keeps the matches of slices that a restore which ended early had restored", async () => {
    for (let slice = 0; slice < SLICES; slice += 1) await matchIn(slice);
    const charged = await town.agree();
    const before = await heldBySlice();
    await town.stopManagement();
    const { restoreSlice } = town.money;
    const broken = recoverer(
      {
        restoreSlice: async (request) => {
          if (request.slice === 2) throw new Error("the connection broke");
          return restoreSlice(request);
        },
      },
      ABANDONED_CLAIM_MS,
    );
    await restartRedis();
    expect(await broken.restoreFrozen([town.advertiserId])).toBe(1);
    await eventually(async () => (await recoverer().restoreFrozen([town.advertiserId])) === 0);
    // The match of slice 2 is void.
    expect(await heldBySlice()).toEqual([...before.slice(0, 2), 0, ...before.slice(3)]);
    await town.agree(charged);
  });

  it("keeps no match that a late charge has yet to take", async () => {
    const kept = await matchIn(3);
    const { match_id: matchId } = await matchIn(2);
    await town.agree();
    await town.stopManagement();
    await town.stopBilling();
    await chargeLate(matchId.slice(0, PLAIN_MATCH_ID), 2);
    await town.redis.hset(`{${walletIdOf(town.advertiserId, 1)}}:account`, "lineage", "another");
    await eventually(async () => (await recoverer().restoreFrozen([town.advertiserId])) === 0, PATIENCE);
    expect(kept.match_id).not.toBe(matchId);
    expect((await heldBySlice()).slice(2)).toEqual([0, 1_000]);
  });

  it("keeps no match that one of too many late charges has yet to take, also if the restore is repeated", async () => {
    const { match_id: matchId } = await matchIn(2);
    await town.agree();
    await town.stopManagement();
    await town.stopBilling();
    await chargeLate(matchId.slice(0, PLAIN_MATCH_ID), 2);
    await town.management.database.$executeRaw`
      INSERT INTO wallet_settlements (impression_id, kind, advertiser_id, campaign_id, game_id, match_id, price_millicents, day,
        committed_in_epoch, wallet_slice)
      SELECT 'imp_late' || n, kind, advertiser_id, campaign_id, game_id, 'mat_late' || n, price_millicents, day,
        committed_in_epoch, 1
      FROM wallet_settlements, generate_series(1, ${MAX_UNSETTLED}) AS n`;
    await town.redis.hset(`{${walletIdOf(town.advertiserId, 1)}}:account`, "lineage", "another");
    const { restoreSlice } = town.money;
    const broken = recoverer(
      {
        restoreSlice: async (request) => {
          if (request.slice === 2) throw new Error("the connection broke");
          return restoreSlice(request);
        },
      },
      ABANDONED_CLAIM_MS,
    );
    expect(await broken.restoreFrozen([town.advertiserId])).toBe(1);
    await eventually(async () => (await recoverer().restoreFrozen([town.advertiserId])) === 0, PATIENCE);
    expect((await heldBySlice())[2]).toBe(0);
  });

  it("is restored by the last of two instances of which one stood still for longer than its claim", async () => {
    for (let slice = 0; slice < SLICES; slice += 1) await matchIn(slice);
    const charged = await town.agree();
    const before = await heldBySlice();
    await town.stopManagement();
    const { restoreSlice } = town.money;
    let goOn = () => {};
    const stands = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const late = recoverer(
      {
        extendClaims: async () => {},
        restoreSlice: async (request) => {
          if (request.slice === 2) await stands;
          return restoreSlice(request);
        },
      },
      ABANDONED_CLAIM_MS,
    );
    let lateLeft: Promise<number> | undefined;
    const last = recoverer({
      restoreSlice: async (request) => {
        if (request.slice === 2) {
          goOn();
          expect(await lateLeft).toBe(1);
        }
        return restoreSlice(request);
      },
    });
    await restartRedis();
    lateLeft = late.restoreFrozen([town.advertiserId]);
    const { database } = town.management;
    const wallet = `{${town.advertiserId}}:account`;
    await eventually(async () => {
      const row = await database.advertiser.findUniqueOrThrow({ where: { id: town.advertiserId } });
      return (await town.redis.hget(wallet, "epoch")) === String(row.recoveryEpoch);
    });
    await eventually(async () => (await last.restoreFrozen([town.advertiserId])) === 0, PATIENCE);
    expect((await heldBySlice()).slice(0, 2)).toEqual(before.slice(0, 2));
    await town.agree(charged);
  });

  it.each(["restores its slices", "reads its outboxes"].slice(0, rounds(1, 2)))(
    "is left to the instance that %s, however long that takes",
    async (step) => {
      for (let slice = 0; slice < SLICES; slice += 1) await matchIn(slice);
      const charged = await town.agree();
      const before = await heldBySlice();
      await town.stopManagement();
      const { restoreSlice, listOutbox } = town.money;
      const other = recoverer({}, HELD_CLAIM_MS);
      const waitInVain = async () => expect(await other.restoreFrozen([town.advertiserId])).toBe(1);
      const slow = recoverer(
        {
          listOutbox: async (...given) => {
            if (step === "reads its outboxes" && given[0] === town.advertiserId) await waitInVain();
            return listOutbox(...given);
          },
          restoreSlice: async (request) => {
            if (step === "restores its slices" && request.slice === 2) await waitInVain();
            return restoreSlice(request);
          },
        },
        HELD_CLAIM_MS,
      );
      await restartRedis();
      expect(await slow.restoreFrozen([town.advertiserId])).toBe(0);
      expect(await heldBySlice()).toEqual(before);
      await town.agree(charged);
    },
  );

  it("answers no impression with 201 for which late charges leave no budget", async () => {
    const { database } = town.management;
    const served = await matchUntilNone();
    for (let late = 0; late < LATE_CHARGES; late += 1) await chargeLate(newId("mat"), late % SLICES);
    const pending = () => database.walletSettlement.count({ where: { settledAt: null } });
    await eventually(async () => (await pending()) === 0, PATIENCE);
    const statuses = [];
    for (const match of served) statuses.push(await town.statusOf(match));
    expect(statuses.filter((status) => status === 201)).toHaveLength(BUDGET - 2 - LATE_CHARGES);
    await eventually(async () => {
      const campaign = await database.campaign.findUniqueOrThrow({ where: { id: town.campaignId } });
      return campaign.spentMillicents === BigInt(BUDGET * 1_000);
    }, PATIENCE);
    expect(await database.quarantinedImpression.count()).toBe(0);
  });
});

describe("a wallet in slices that goes on afterwards", () => {
  beforeAll(() => open(SHARED_BUDGET));
  afterAll(close);

  it("is read as one", async () => {
    const open: Served[] = [];
    for (let i = 0; i < 6; i += 1) open.push(await town.served());
    await town.play(6);
    await town.agree(8);
    const summary = await createWalletReader(town.redis).read(town.advertiserId, [town.campaignId], LIMITS);
    expect(summary).toMatchObject({
      account: { spentMillicents: 8_000, heldMillicents: 6_000, impressions: 8, live: true },
      holds: { count: 6, sumMillicents: 6_000 },
      campaigns: [
        { spentMillicents: 8_000, heldMillicents: 6_000, holdsMillicents: 6_000, differingShares: 0 },
      ],
    });
    const counts = await town.money.committedCounts([town.advertiserId]);
    expect(counts.get(town.advertiserId)).toBe(8);
    // Other cases find no match of another one's.
    for (const match of open) expect(await town.statusOf(match)).toBe(201);
  });

  it("keeps open matches over a restart that forgets nothing", async () => {
    const charged = await town.agree();
    const open: Served[] = [];
    for (let i = 0; i < 12; i += 1) open.push(await town.served());
    await town.play(8);
    await restartRedis();
    for (const match of open) expect(await town.statusOf(match)).toBe(201);
    await town.agree(charged + 20);
    await town.play(5);
    await town.agree(charged + 25);
  });

  it("loses no charge when Redis forgets everything", async () => {
    const charged = await town.agree();
    await town.play(12);
    await town.agree(charged + 12);
    await town.redis.flushall();
    await town.play(6);
    await town.agree(charged + 18);
  });

  it.each([
    ["answer", loseAnswers],
    ["claim", loseClaims],
  ])("charges an operation once, whose %s was lost while other slices got matches", async (lost, lose) => {
    // The first slice that has a match is not the first one.
    const open = [await matchIn(2)];
    const first = await town.keyedImpression(open[0] as Served, lost);
    expect(first.status).toBe(201);
    open.push(await matchIn(0), await matchIn(1));
    const charged = await town.agree();
    await lose();
    expect(await town.keyedImpression(open[0] as Served, lost)).toMatchObject({
      status: 201,
      body: first.body,
    });
    await town.agree(charged);
    for (const match of open.slice(1)) expect(await town.statusOf(match)).toBe(201);
    await town.agree(charged + 2);
  });

  it.each([SLICES - 1, 0, 1].slice(0, rounds(1, 3)))(
    "is restored by one of several instances when slice %i is in doubt",
    async (slice) => {
      const open: Served[] = [];
      for (let one = 0; one < SLICES; one += 1) open.push(await matchIn(one));
      const charged = await town.agree();
      await town.redis.hset(`{${walletIdOf(town.advertiserId, slice)}}:account`, "lineage", "another");
      const instances = [recoverer(), recoverer(), recoverer()];
      const restored = (one: WalletRecovery) =>
        eventually(async () => (await one.restoreFrozen([town.advertiserId])) === 0, PATIENCE);
      await Promise.all(instances.map(restored));
      for (const match of open) expect(await town.statusOf(match)).toBe(201);
      await town.agree(charged + SLICES);
    },
  );

  it("charges no more than a lowered budget, also for open matches", async () => {
    const charged = await town.agree();
    const open: Served[] = [];
    for (let i = 0; i < 20; i += 1) open.push(await town.served());
    await town.setBudget(charged + 10);
    const statuses = [];
    for (const match of open) statuses.push(await town.statusOf(match));
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    await town.agree(charged + 10);
    await town.setBudget(SHARED_BUDGET);
    await town.play(3);
    await town.agree(charged + 13);
  });
});
