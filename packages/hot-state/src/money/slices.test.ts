import { newId } from "@diegetic/contracts";
import { openWallet, TEST_CLAIM } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { walletIdOf, walletKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { createSliceGrants, SliceGrants } from "./slice-grants.ts";
import { createSliceReports, SliceReports } from "./slice-reports.ts";
import { createSliceCommands, type SlicedCampaign } from "./slices.ts";
import { HOLD_TTL_MS, TestWallet, today } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const SLICES = 3;
const PRICE = 500;

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;
let wallet: TestWallet;
let campaign: SlicedCampaign;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

beforeEach(async () => {
  const advertiserId = newId("adv");
  await openWallet(money, { advertiserId, version: 1, depositedMillicents: 1_000_000, slices: SLICES });
  wallet = new TestWallet(money, redis, advertiserId);
  campaign = { advertiserId, campaignId: wallet.campaignId };
  await setBudget(1, 100_000);
});

function setBudget(
  version: number,
  budgetMillicents: number,
  dailyCapMillicents: number | null = null,
): Promise<string> {
  const { advertiserId, campaignId } = campaign;
  const seed = { spentMillicents: 0, impressions: 0, day: today(), daySpentMillicents: 0 };
  const settings = { version, status: "active" as const, budgetMillicents, dailyCapMillicents, seed };
  return money.applyCampaign({ advertiserId, campaignId, ...settings });
}

function settle(
  kind: "late" | "reversed",
  impressionId: string,
  slice: number,
  campaignId = campaign.campaignId,
): Promise<string> {
  const { advertiserId } = campaign;
  return money.settle({
    epoch: 0,
    kind,
    impressionId,
    matchId: impressionId.replace("imp_", "mat_"),
    walletId: walletIdOf(advertiserId, slice),
    campaignId,
    gameId: "game",
    priceMillicents: PRICE,
    day: today(),
    committedInEpoch: 0,
  });
}

/** An open match of a campaign in a slice. */
interface Open {
  matchId: string;
  slice: number;
  of: TestWallet;
}

/** Null: refused, also after the slices have given back what they can. */
async function hold(
  slice: number,
  { of = wallet, version = 1, priceMillicents = 100 } = {},
  grants: SliceGrants = createSliceGrants(redis),
): Promise<Open | null> {
  const facts = { wallet_slice: slice, campaign_version: version, price_millicents: priceMillicents };
  const request = of.request(slice > 0 ? facts : { ...facts, wallet_slice: undefined }, {
    campaignVersion: version,
  });
  let result = await money.reserve(request);
  if (result.outcome === "refused" && slice > 0) {
    const sliced = { ...campaign, campaignId: of.campaignId };
    await grants.extend(sliced, slice, { priceMillicents, isHeld: false });
    result = await money.reserve(request);
  } else if (result.outcome === "refused") {
    await grants.collectFor({ ...campaign, campaignId: of.campaignId }, result.reason);
    result = await money.reserve(request);
  }
  return result.outcome === "held" ? { matchId: request.match.match_id, slice, of } : null;
}

async function holdOne(slice: number, options: Parameters<typeof hold>[1]): Promise<Open> {
  const one = await hold(slice, options);
  if (one === null) throw new Error("the match is refused");
  return one;
}

/** An open match of 100 in a slice, in each of so many other campaigns. */
function holdInMoreCampaigns(count: number, slice: number): Promise<Open[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const of = new TestWallet(money, redis, campaign.advertiserId);
      await money.applyCampaign(of.campaign());
      return holdOne(slice, { of });
    }),
  );
}

/** As management lowers a budget. */
async function lowerTo(version: number, budgetMillicents: number): Promise<void> {
  const { advertiserId, campaignId } = campaign;
  expect(await money.setBudgetCeiling(advertiserId, campaignId, budgetMillicents)).toEqual({ outcome: "ok" });
  expect(await setBudget(version, budgetMillicents)).toBe("applied");
}

async function holdAll(
  count: number,
  sliceOf: (n: number) => number,
  options: Parameters<typeof hold>[1],
): Promise<Open[]> {
  const open: Open[] = [];
  for (let n = 0; n < count; n += 1) {
    const one = await hold(sliceOf(n), options);
    if (one === null) throw new Error(`match ${n} is refused`);
    open.push(one);
  }
  return open;
}

/** As an impression is charged. */
async function charge(
  { matchId, slice, of }: Open,
  { commands = money, grants = createSliceGrants(redis) } = {},
): Promise<string> {
  const { advertiserId, campaignId, creativeId } = of;
  const payer = new TestWallet(commands, redis, advertiserId);
  const result = await grants.commitWithMoney({ ...campaign, campaignId }, slice, () =>
    payer.commit({ campaignId, creativeId, matchId, slice }),
  );
  if (result === "contended") return result;
  return result.outcome === "charged" ? "charged" : result.reason;
}

async function chargeAll(open: readonly Open[]): Promise<number> {
  let charged = 0;
  for (const one of open) if ((await charge(one)) === "charged") charged += 1;
  return charged;
}

/** For a hold of that price. */
function extend(slice: number, priceMillicents: number) {
  return createSliceGrants(redis).extend(campaign, slice, { priceMillicents, isHeld: false });
}

describe("a charge in a slice, by an id that carries its match", () => {
  it("is answered with the record of the outbox", async () => {
    await extend(1, PRICE);
    const request = wallet.request({ wallet_slice: 1, price_millicents: PRICE }, { isCarried: true });
    const held = await money.reserve(request);
    if (held.outcome !== "held") throw new Error(held.reason);
    const { match: facts } = request;
    const heldAtMs = held.lapsesAtMs - HOLD_TTL_MS;
    const carried = { facts, heldAtMs, validFromEpoch: held.validFromEpoch };
    const charged = await wallet.commit({ matchId: facts.match_id, slice: 1, carried });
    if (charged.outcome !== "charged") throw new Error(charged.reason);
    const { items } = await money.listOutbox(walletIdOf(campaign.advertiserId, 1), 10);
    expect(items).toStrictEqual([charged.record]);
  });
});

describe("what billing settles in a slice", () => {
  it("counts in the advertiser's wallet, also beyond what the slice was granted", async () => {
    const { advertiserId, campaignId } = campaign;
    const impressionId = newId("imp");
    expect(await settle("late", impressionId, 2)).toBe("settled");
    const charged = { spentMillicents: PRICE, heldMillicents: 0, impressions: 1 };
    expect(await money.readCampaign(advertiserId, campaignId)).toMatchObject(charged);
    expect(await money.readAccount(advertiserId)).toMatchObject(charged);
    expect(await money.setBudgetCeiling(advertiserId, campaignId, PRICE - 1)).toEqual({
      outcome: "spent",
      spentMillicents: PRICE,
    });
    expect(await settle("reversed", impressionId, 2)).toBe("settled");
    const none = { spentMillicents: 0, heldMillicents: 0, impressions: 0 };
    expect(await money.readAccount(advertiserId)).toMatchObject(none);
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 0)).toEqual({ outcome: "ok" });
  });
});

describe("a late charge", () => {
  it.each([0, 1, 2])("in slice %i counts for what other slices may spend", async (slice) => {
    await setBudget(2, 5_000);
    const open = await holdAll(10, (n) => 1 + (n % 2), { version: 2, priceMillicents: PRICE });
    expect(await settle("late", newId("imp"), slice)).toBe("settled");
    expect(await settle("late", newId("imp"), slice)).toBe("settled");
    expect(await chargeAll(open)).toBe(8);
    expect((await wallet.spentAndHeld()).spent).toBe(5_000);
  });

  it("beyond the balance counts for what slices may spend on other campaigns", async () => {
    const { advertiserId } = campaign;
    const deposited = 5_000;
    const version = 2;
    await money.applyAccount({ advertiserId, version, depositedMillicents: deposited, slices: SLICES });
    const open = await holdAll(10, (n) => 1 + (n % 2), { priceMillicents: PRICE });
    const other = new TestWallet(money, redis, advertiserId);
    await money.applyCampaign(other.campaign());
    const late = { ...campaign, campaignId: other.campaignId };
    const impressionId = newId("imp");
    expect(await settle("late", impressionId, 0, late.campaignId)).toBe("settled");
    expect(await chargeAll(open)).toBe(9);
    expect((await money.readAccount(advertiserId))?.spentMillicents).toBe(deposited);
  });
});

describe("the balance", () => {
  it("is granted to the last millicent, however many campaigns have money that they do not need", async () => {
    const { advertiserId } = campaign;
    const others = await holdInMoreCampaigns(120, 1);
    const account = walletKeys.account(advertiserId);
    const held = async () => Number(await redis.hget(account, "held"));
    expect(await held()).toBeGreaterThan(100 * others.length);
    await redis.hset(account, "deposited", await held());
    for (let tries = 0; tries < 30 && (await held()) > 100 * others.length; tries += 1) {
      expect(await extend(2, 2_000_000)).toMatchObject({ reason: "balance" });
    }
    expect(await held()).toBe(100 * others.length);
  });
});

describe("what open holds in slices lack", () => {
  it("counts against new matches, until it is charged", async () => {
    await setBudget(2, 10_000);
    const inSlice = await holdOne(1, { version: 2, priceMillicents: 5_000 });
    const own = await wallet.hold({ price_millicents: 5_000, campaign_version: 2 }, { campaignVersion: 2 });
    await lowerTo(3, 5_000);
    expect(await money.release(holdOf(own), "cancelled")).toBe("released");
    expect(await hold(2, { version: 3, priceMillicents: 5_000 })).toBeNull();
    expect(await hold(0, { version: 3, priceMillicents: 5_000 })).toBeNull();
    expect(await charge(inSlice)).toBe("charged");
  });

  /** An impression in slice 1 without a match id. */
  const commitAny = () =>
    createSliceGrants(redis).commitWithMoney(campaign, 1, () => wallet.commit({ matchId: null, slice: 1 }));

  it("pays an impression without a match id, although an older match has lapsed", async () => {
    await setBudget(2, 10_000);
    expect(await extend(1, 5_000)).toBeNull();
    const lapsed = await wallet.hold(
      { price_millicents: 5_000, campaign_version: 2, wallet_slice: 1 },
      { campaignVersion: 2 },
    );
    await wallet.age(lapsed, 700_000);
    expect(await money.release(holdOf(lapsed), "lapsed")).toBe("released");
    const { matchId } = await holdOne(1, { version: 2, priceMillicents: 5_000 });
    const own = await wallet.hold({ price_millicents: 5_000, campaign_version: 2 }, { campaignVersion: 2 });
    await lowerTo(3, 5_000);
    expect(await money.release(holdOf(own), "cancelled")).toBe("released");
    expect(await commitAny()).toMatchObject({ outcome: "charged", record: { match: { match_id: matchId } } });
  });

  it("pays an impression without a match id, although an older match is too expensive", async () => {
    await setBudget(2, 10_000);
    await holdOne(1, { version: 2, priceMillicents: 5_000 });
    const { matchId } = await holdOne(1, { version: 2, priceMillicents: 3_000 });
    await lowerTo(3, 1_000);
    await setBudget(4, 4_000);
    expect(await commitAny()).toMatchObject({ outcome: "charged", record: { match: { match_id: matchId } } });
  });

  it("is taken from as many campaigns as it needs", async () => {
    const { advertiserId } = campaign;
    const [price, deposited] = [10_500, 10_500 + 110 * 100];
    const first = await holdOne(1, { priceMillicents: price });
    await holdInMoreCampaigns(110, 2);
    await money.applyAccount({ advertiserId, version: 2, depositedMillicents: deposited, slices: SLICES });
    await redis.hincrby(walletKeys.account(advertiserId), "spent", price);
    expect(await createSliceReports(redis).reportSettlement(campaign, 0)).toBe(true);
    expect(await charge(first)).toBe("charged");
    expect((await money.readAccount(advertiserId))?.spentMillicents).toBe(2 * price);
  });

  it("is taken from all that hold it, although another impression takes some at the same time", async () => {
    const { advertiserId } = campaign;
    await money.applyAccount({ advertiserId, version: 2, depositedMillicents: 4 * PRICE, slices: SLICES });
    const [first, second] = await holdAll(2, () => 1, { priceMillicents: PRICE });
    for (const slice of [1, 2]) {
      const of = new TestWallet(money, redis, advertiserId);
      await money.applyCampaign(of.campaign());
      await holdOne(slice, { of, priceMillicents: PRICE });
    }
    for (let n = 0; n < 2; n += 1) expect(await settle("late", newId("imp"), 0)).toBe("settled");
    if (first === undefined || second === undefined) throw new Error("nothing is held");
    const commands = createSliceCommands(redis);
    let competing: Promise<string> | undefined;
    const grants = new SliceGrants({
      ...commands,
      takeBack: async (reference, part) => {
        if (typeof part === "number") {
          competing = competing ?? charge(second);
          await competing;
        }
        return commands.takeBack(reference, part);
      },
    });
    expect(await charge(first, { grants })).toBe("charged");
    expect(await competing).toBe("charged");
  });

  it("is not taken from other holds for an impression that cannot be paid", async () => {
    await setBudget(2, 10_000);
    const large = await holdOne(1, { version: 2, priceMillicents: 3_000 });
    const small = await holdAll(2, () => 2, { version: 2, priceMillicents: 1_000 });
    await lowerTo(3, 2_000);
    expect(await charge(large)).toBe("budget");
    expect(await hold(0, { version: 3, priceMillicents: 2_000 })).toBeNull();
    expect(await chargeAll(small)).toBe(2);
  });

  it("is not taken from other campaigns for an impression that its budget does not cover", async () => {
    const { advertiserId } = campaign;
    await money.applyAccount({ advertiserId, version: 2, depositedMillicents: 10_000, slices: SLICES });
    await setBudget(2, 3_000);
    const other = new TestWallet(money, redis, advertiserId);
    await money.applyCampaign(other.campaign());
    const large = await holdOne(1, { version: 2, priceMillicents: 3_000 });
    await holdAll(7, (n) => 1 + (n % 2), { of: other, priceMillicents: 1_000 });
    await lowerTo(3, 1_000);
    for (let n = 0; n < 2_000 / PRICE; n += 1) {
      expect(await settle("late", newId("imp"), 0, other.campaignId)).toBe("settled");
    }
    expect(await charge(large)).toBe("balance");
    expect(await redis.hget(walletKeys.campaign(advertiserId, other.campaignId), "held")).toBe("7000");
  });

  it("is taken from other campaigns where the balance lacks: whose impression comes first is charged", async () => {
    const { advertiserId } = campaign;
    await money.applyAccount({ advertiserId, version: 2, depositedMillicents: 10_000, slices: SLICES });
    const other = new TestWallet(money, redis, advertiserId);
    await money.applyCampaign(other.campaign());
    const first = await holdOne(1, { priceMillicents: 5_000 });
    const second = await holdOne(2, { of: other, priceMillicents: 5_000 });
    for (let n = 0; n < 5_000 / PRICE; n += 1) expect(await settle("late", newId("imp"), 0)).toBe("settled");
    expect(await charge(first)).toBe("charged");
    expect(await charge(second)).toBe("balance");
  });
});

describe("when a slice cannot be reached", () => {
  const unreachable = new Error("Connection is closed.");
  /** As if slice 1 were on an unreachable node. */
  function reportsWithoutSlice1(onAsked?: () => void): SliceReports {
    const commands = createSliceCommands(redis);
    return new SliceReports({
      ...commands,
      takeBack: async (reference, part) => {
        if (reference.slice !== 1) return commands.takeBack(reference, part);
        onAsked?.();
        throw unreachable;
      },
    });
  }

  it.each(["a report", "a late charge"])(
    "%s asks it once, however many campaigns have money there",
    async (of) => {
      const { advertiserId } = campaign;
      await money.applyAccount({ advertiserId, version: 2, depositedMillicents: 10_000, slices: SLICES });
      for (let n = 0; n < 10; n += 1) {
        const other = new TestWallet(money, redis, advertiserId);
        await money.applyCampaign(other.campaign());
        await holdAll(2, (i) => 1 + i, { of: other, priceMillicents: 500 });
      }
      await redis.hincrby(walletKeys.account(advertiserId), "spent", 20_000);
      let asked = 0;
      const reports = reportsWithoutSlice1(() => {
        asked += 1;
      });
      const done =
        of === "a report" ? reports.reportSpending(advertiserId) : reports.reportSettlement(campaign, 0);
      await expect(done).rejects.toThrow(unreachable);
      expect(asked).toBe(1);
    },
  );

  it("what others have spent is reported, and the failure, too", async () => {
    const open = await holdAll(4, (n) => 1 + (n % 2), { priceMillicents: 1_000 });
    expect(await chargeAll(open)).toBe(4);
    await expect(reportsWithoutSlice1().reportSpending(campaign.advertiserId)).rejects.toThrow(unreachable);
    const own = walletKeys.campaign(campaign.advertiserId, campaign.campaignId);
    expect(await redis.hget(own, "sliced_spent")).toBe("2000");
  });

  it("others give back what a late charge does not leave them", async () => {
    await setBudget(2, 10_000);
    await holdOne(1, { version: 2, priceMillicents: 100 });
    const open = await holdAll(50, () => 2, { version: 2 });
    const spent = walletKeys.campaign(campaign.advertiserId, campaign.campaignId);
    for (const key of [spent, walletKeys.account(campaign.advertiserId)])
      await redis.hincrby(key, "spent", 9_000);
    await expect(reportsWithoutSlice1().reportSettlement(campaign, 0)).rejects.toThrow(unreachable);
    let charged = 0;
    for (const { matchId, slice } of open) {
      if ((await wallet.commit({ matchId, slice })).outcome === "charged") charged += 1;
    }
    // The unreachable slice may keep what is left.
    expect(charged).toBeLessThanOrEqual(10);
  });
});

describe("a reversal in a slice", () => {
  it("gives it no money, whatever becomes of billing", async () => {
    await setBudget(2, 10_000);
    const open = await holdAll(10, () => 1, { version: 2, priceMillicents: 1_000 });
    expect(await chargeAll(open)).toBe(10);
    const key = walletKeys.campaign(walletIdOf(campaign.advertiserId, 1), campaign.campaignId);
    const left = async () => {
      const [granted, spent] = await redis.hmget(key, "budget", "spent");
      return Number(granted) - Number(spent);
    };
    expect(await left()).toBe(0);
    const impressionId = open[0]?.matchId.replace("mat_", "imp_") ?? "";
    expect(await settle("reversed", impressionId, 1)).toBe("settled");
    expect(await left()).toBe(0);
    expect((await wallet.spentAndHeld()).spent).toBe(10_000 - PRICE);
  });
});

describe("requests at the same time", () => {
  const CLIENTS = 6;
  let clients: RedisConnection[];
  beforeAll(() => {
    clients = Array.from({ length: CLIENTS }, () => connectTestRedis(server.url));
  });
  afterAll(() => {
    for (const client of clients) client.disconnect();
  });

  it("of one match agree: it is charged", async () => {
    const [open] = await holdAll(1, () => 1, {});
    await hold(0);
    if (open === undefined) throw new Error("there is no match");
    expect(await money.setBudgetCeiling(campaign.advertiserId, campaign.campaignId, 100)).toEqual({
      outcome: "ok",
    });
    expect(await setBudget(2, 200)).toBe("applied");
    const answers = await Promise.all(
      clients.map((client) => charge(open, { grants: createSliceGrants(client) })),
    );
    expect(new Set(answers)).toEqual(new Set(["charged"]));
  });

  it("charge as many open matches as a lowered budget leaves", async () => {
    const parts = clients.map((client) => ({
      commands: createMoneyCommands(client),
      grants: createSliceGrants(client),
    }));
    for (let round = 0; round < rounds(5, 40); round += 1) {
      const of = new TestWallet(money, redis, campaign.advertiserId);
      await money.applyCampaign(of.campaign({ budgetMillicents: 100_000 }));
      const open = await holdAll(60, (n) => 1 + (n % 2), { of });
      const budget = 1_000 + 100 * ((7 * round) % 40);
      expect(await money.setBudgetCeiling(of.advertiserId, of.campaignId, budget)).toEqual({ outcome: "ok" });
      await money.applyCampaign(of.campaign({ version: 2, budgetMillicents: budget }));
      const answers = await Promise.all(open.map((one, n) => charge(one, parts[n % CLIENTS])));
      expect(answers.filter((answer) => answer === "charged")).toHaveLength(budget / 100);
      expect(new Set(answers)).toEqual(new Set(["charged", "budget"]));
    }
  });

  it("that find no balance share what they do", async () => {
    const { advertiserId } = campaign;
    const others = Array.from({ length: 20 }, () => new TestWallet(money, redis, advertiserId));
    await money.applyAccount({ advertiserId, version: 2, depositedMillicents: 20_000, slices: SLICES });
    for (const [n, of] of others.entries()) {
      await money.applyCampaign(of.campaign());
      expect(await hold(1 + (n % 2), { of, priceMillicents: 1_000 })).not.toBeNull();
    }
    const grants = createSliceGrants(redis);
    await redis.config("RESETSTAT");
    const needed = { priceMillicents: 1_000, isHeld: false };
    const asked = await Promise.all(Array.from({ length: 50 }, () => grants.extend(campaign, 1, needed)));
    const refused = { reason: "balance", lasts: null, missingMillicents: 1_000 };
    expect(asked).toMatchObject(asked.map(() => refused));
    const scripts = /cmdstat_evalsha:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1];
    // Two for each request before and after, and two rounds over 20 slices with money.
    expect(Number(scripts)).toBeLessThan(300);
  });
});

describe("open holds of one developer", () => {
  const holds = async (slice: number, version: number) => (await hold(slice, { version })) !== null;

  it("may take half of a slice's part of what is left, also after a change", async () => {
    for (let n = 0; n < 120; n += 1) expect(await holds(1, 1)).toBe(true);
    expect(await setBudget(2, 100_000)).toBe("applied");
    expect(await holds(1, 2)).toBe(true);
    let held = 121;
    while (held < 200 && (await holds(1, 2))) held += 1;
    // A third of the budget is for each slice; half of that is 166 holds.
    expect(held).toBe(166);
    for (let n = 0; n < 120; n += 1) expect(await holds(0, 2)).toBe(true);
  });
});

describe("a daily cap", () => {
  it("that is lowered counts for open holds in slices, too", async () => {
    await setBudget(2, 100_000, 10_000);
    const open = await holdAll(10, () => 1, { version: 2, priceMillicents: 1_000 });
    expect(await setBudget(3, 100_000, 3_000)).toBe("applied");
    expect(await chargeAll(open)).toBe(3);
  });

  it("refuses open holds that lack money while its day is further ahead than tomorrow", async () => {
    const { advertiserId, campaignId } = campaign;
    await setBudget(2, 100_000, 10_000);
    const open = await holdOne(1, { version: 2, priceMillicents: 1_000 });
    expect(await setBudget(3, 100_000, 500)).toBe("applied");
    expect(await setBudget(4, 100_000, 10_000)).toBe("applied");
    const later = utcDayAfter(utcDayAfter(today()));
    await redis.hset(walletKeys.campaign(advertiserId, campaignId), "day", later);
    expect(await charge(open)).toBe("daily_cap");
  });

  it("counts in a slice for the day of its grant, whatever the slice's clock says", async () => {
    const { advertiserId, campaignId } = campaign;
    const tomorrow = utcDayAfter(today());
    await redis.hset(walletKeys.campaign(advertiserId, campaignId), "day", tomorrow);
    expect(await extend(2, 1_000)).toBeNull();
    const slice = walletKeys.campaign(walletIdOf(advertiserId, 2), campaignId);
    expect(await redis.hget(slice, "day")).toBe(tomorrow);
  });
});

function utcDayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

describe("a lowered budget", () => {
  it("is refused when slices have spent more, and the former one counts again", async () => {
    const { advertiserId, campaignId } = campaign;
    for (const slice of [1, 2]) expect(await settle("late", newId("imp"), slice)).toBe("settled");
    const refused = { outcome: "spent", spentMillicents: 2 * PRICE };
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 2 * PRICE - 1)).toEqual(refused);
    expect(await extend(1, 90_000)).toBeNull();
  });

  it("is refused while a slice with money is frozen, and the former one counts again", async () => {
    const { advertiserId, campaignId } = campaign;
    expect(await extend(2, 1_000)).toBeNull();
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 20_000)).toEqual({ outcome: "ok" });
    expect(await extend(2, 1_000)).toBeNull();
    await money.freezeUnlessLive(walletIdOf(advertiserId, 2), 0, { ...TEST_CLAIM, freezes: "always" });
    const refused = { outcome: "unknown_wallet" };
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 10_000)).toEqual(refused);
    expect(await money.readCampaign(advertiserId, campaignId)).toMatchObject({ ceilingMillicents: 20_000 });
  });

  it("takes back what slices were granted", async () => {
    const { advertiserId, campaignId } = campaign;
    expect(await extend(1, 40_000)).toBeNull();
    expect(await extend(2, 40_000)).toBeNull();
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 10_000)).toEqual({ outcome: "ok" });
    expect(await extend(1, 10_001)).toMatchObject({ reason: "budget" });
    expect(await extend(1, 10_000)).toBeNull();
    expect(await setBudget(2, 10_000)).toBe("applied");
    expect(await extend(2, 10_000)).toBeNull();
    expect(await extend(1, 10_001)).toMatchObject({ reason: "budget" });
  });

  it.each(["budget", "daily cap"])(
    "or a lowered %s leaves open holds what it still covers",
    async (limit) => {
      const { advertiserId, campaignId } = campaign;
      const account = { advertiserId, version: 2, depositedMillicents: 10_000, slices: SLICES };
      expect(await money.applyAccount({ ...account, depositedMillicents: 1_000_000 })).toBe("applied");
      await setBudget(2, 600_000, 600_000);
      const open = await holdAll(50, (n) => 1 + (n % 2), { version: 2, priceMillicents: 1_000 });
      if (limit === "budget") {
        expect(await money.setBudgetCeiling(advertiserId, campaignId, 100_000)).toEqual({ outcome: "ok" });
        expect(await setBudget(3, 100_000, 600_000)).toBe("applied");
      } else expect(await setBudget(3, 600_000, 100_000)).toBe("applied");
      const { held } = await wallet.spentAndHeld();
      const own = await redis.hget(walletKeys.account(advertiserId), "held");
      expect([held, Number(own)]).toEqual([50_000, 50_000]);
      expect(await chargeAll(open)).toBe(50);
    },
  );
});
