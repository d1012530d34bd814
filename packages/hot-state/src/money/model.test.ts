import { newId } from "@diegetic/contracts";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { RedisConnection } from "../connection.ts";
import { encodeName, walletKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { type ModelCampaign, type ModelMatch, ModelWallet, UNSHARED_HOLDS } from "./testing/model.ts";
import { CREATIVES, FORGOTTEN_AFTER_MS, GAMES, Rehearsal, type Step } from "./testing/steps.ts";
import { TestWallet, today } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const CAMPAIGNS = 2;
const SESSIONS = 2;

/** Few distinct amounts, so that limits are reached often, in several magnitudes, so that all digits occur. */
const scale = fc.constantFrom(1, 7, 1_000, 10_000_000_000_000);
const units = fc.integer({ min: 0, max: 12 });
const choice = fc.nat({ max: 1_000 });

function anyStep(size: number): fc.Arbitrary<Step> {
  const amount = units.map((n) => n * size);
  const campaign = fc.nat({ max: CAMPAIGNS - 1 });
  const game = fc.nat({ max: GAMES.length - 1 });
  const optional = fc.option(amount, { freq: 3 });
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({
        kind: fc.constant("reserve" as const),
        campaign,
        game,
        session: fc.nat({ max: SESSIONS - 1 }),
        price: fc.integer({ min: 1, max: 3 }).map((n) => n * size),
        due: fc.boolean(),
        carried: fc.boolean(),
        again: fc.oneof(
          { weight: 3, arbitrary: fc.constant(false) },
          { weight: 1, arbitrary: fc.constant(true) },
        ),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("commit" as const), match: choice }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("commit oldest" as const),
        campaign,
        game,
        creative: fc.nat({ max: CREATIVES.length - 1 }),
      }),
    },
    {
      weight: 7,
      arbitrary: fc.record({
        kind: fc.constant("release" as const),
        match: choice,
        // Mostly holds whose time is over, because lapsed matches must find room again.
        lapsed: fc.oneof(
          { weight: 3, arbitrary: fc.constant(true) },
          { weight: 1, arbitrary: fc.constant(false) },
        ),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("age" as const),
        match: choice,
        // Some ages are between the limits with and without a match id; none is close to a limit.
        minutes: fc.constantFrom(25, 75, 1_440),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("deposit" as const), amount }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("campaign" as const),
        campaign,
        paused: fc.boolean(),
        budget: amount.map((n) => n * 2),
        dailyCap: optional,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("ceiling" as const), campaign, ceiling: amount }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("outdated" as const), campaign }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: "new day" }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: "ack" }) },
  );
}

const histories = scale.chain((size) =>
  fc.record({
    size: fc.constant(size),
    // Holds taken before: about as many as are not compared with what the campaign has left.
    crowd: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: UNSHARED_HOLDS - 3, max: UNSHARED_HOLDS + 2 }) },
    ),
    deposit: fc.integer({ min: 4, max: 16 }).map((n) => n * size),
    steps: fc.array(anyStep(size), { minLength: 15, maxLength: 60, size: "max" }),
  }),
);

async function openRehearsal(
  money: MoneyCommands,
  redis: RedisConnection,
  { size, deposit: extra, crowd }: { size: number; deposit: number; crowd: number },
): Promise<Rehearsal> {
  // Twice what the crowd holds: its developer may take only a little more.
  const deposit = extra + 2 * crowd * size;
  const wallet = await TestWallet.open(money, redis, { depositedMillicents: deposit });
  const campaigns = new Map<string, ModelCampaign>();
  for (let i = 0; i < CAMPAIGNS; i++) {
    const campaignId = newId("camp");
    const budgetMillicents = (8 + 4 * i + 2 * crowd) * size;
    await money.applyCampaign(wallet.campaign({ campaignId, budgetMillicents }));
    campaigns.set(campaignId, {
      version: 1,
      status: "active",
      budget: budgetMillicents,
      ceiling: null,
      dailyCap: null,
      spent: 0,
      held: 0,
      daySpent: 0,
      impressions: 0,
      holdsTaken: 0,
    });
  }
  const rehearsal = new Rehearsal(wallet, new ModelWallet(deposit, campaigns));
  for (let i = 0; i < crowd; i++) {
    await rehearsal.take({
      kind: "reserve",
      campaign: 0,
      game: (i % 4) * 2,
      session: -1,
      price: size,
      due: false,
      carried: i % 2 === 0,
      again: false,
    });
  }
  return rehearsal;
}

/** Requires that Redis' counts equal the model's, and that each hold is open or has ended exactly once. */
async function expectSame(rehearsal: Rehearsal, redis: RedisConnection): Promise<void> {
  const { wallet, model } = rehearsal;
  const { money, advertiserId } = wallet;
  const account = await money.readAccount(advertiserId);
  expect(account).toMatchObject({
    depositedMillicents: model.deposited,
    spentMillicents: model.spent,
    heldMillicents: model.held,
    impressions: model.impressions,
  });
  for (const [campaignId, expected] of model.campaigns) {
    const campaign = await money.readCampaign(advertiserId, campaignId);
    expect(campaign).toMatchObject({
      version: expected.version,
      status: expected.status,
      budgetMillicents: expected.budget,
      ceilingMillicents: expected.ceiling,
      dailyCapMillicents: expected.dailyCap,
      spentMillicents: expected.spent,
      heldMillicents: expected.held,
      impressions: expected.impressions,
    });
    const counted = campaign?.day === today() ? campaign.daySpentMillicents : 0;
    expect(counted).toBe(expected.daySpent);
    const shares = await redis.hgetall(walletKeys.shares(advertiserId, campaignId));
    expect(shares).toEqual(sharesOf(model, campaignId));
    const games = await money.readCampaignGames(advertiserId, campaignId, Date.now());
    expect(games.openHolds).toBe(model.openHolds(campaignId, {}).length);
    for (const gameId of GAMES) {
      const answered = model.matches.filter(
        (match) => match.campaignId === campaignId && match.gameId === gameId && match.state !== "cancelled",
      );
      expect(games.matches.get(gameId) ?? 0).toBe(answered.length);
      const held = model.openHolds(campaignId, { gameId }).reduce((sum, { price }) => sum + price, 0);
      expect(games.heldMillicents.get(gameId) ?? 0).toBe(held);
      const unbilled = model.matches.filter(
        (match) =>
          match.campaignId === campaignId &&
          match.gameId === gameId &&
          (match.state === "open" || (match.state === "lapsed" && match.agedMs <= FORGOTTEN_AFTER_MS)),
      );
      const pending = await redis.zrange(walletKeys.pending(advertiserId, campaignId, gameId), "0", "-1");
      const tails = new Set(pending.map((member) => member.split(":")[2]));
      const isOld = ({ agedMs, state }: ModelMatch) => state === "lapsed" && agedMs > FORGOTTEN_AFTER_MS;
      for (const { matchId } of model.matches.filter(isOld)) tails.delete(matchId.slice(-26));
      expect([...tails].sort()).toEqual(unbilled.map(({ matchId }) => matchId.slice(-26)).sort());
      const listed = await redis.zrange(walletKeys.history(advertiserId, campaignId, gameId), "0", "-1");
      expect(
        unbilled.filter((match) => listed.includes(match.matchId) === rehearsal.isCarried(match)),
      ).toEqual([]);
    }
  }
  const open = model.matches.filter(({ state }) => state === "open");
  const holds = await redis.zrange(walletKeys.holds(advertiserId), "0", "-1");
  expect(holds.map((member) => member.split("|")[0]).sort()).toEqual(
    open.map(({ matchId }) => matchId).sort(),
  );
  expect(open.reduce((sum, { price }) => sum + price, 0)).toBe(model.held);
  const outbox = await redis.hkeys(walletKeys.outbox(advertiserId));
  expect(outbox.sort()).toEqual([...model.outbox].sort());
  const sessionReleases = await redis.hkeys(walletKeys.sessionRelease(advertiserId));
  expect(sessionReleases.sort()).toEqual([...model.sessionReleases].sort());
  expect(model.spent + model.held).toBeLessThanOrEqual(model.deposited);
}

/** The expected content of `shares`. */
function sharesOf(model: ModelWallet, campaignId: string): Record<string, string> {
  const shares: Record<string, string> = {};
  const sum = (holds: readonly ModelMatch[]) => holds.reduce((total, { price }) => total + price, 0);
  for (const { developerId, gameId } of model.openHolds(campaignId, {})) {
    const open = model.openHolds(campaignId, { developerId });
    shares[developerId] = `${open.length}|${sum(open)}`;
    shares[`g:${encodeName(gameId)}`] = String(sum(model.openHolds(campaignId, { gameId })));
  }
  return shares;
}

/** No step may exceed a limit by more than lowering that limit already did. */
function expectWithinLimits(model: ModelWallet, before: Map<string, number>, step: Step): void {
  for (const [campaignId, { spent, held, daySpent, budget, ceiling, dailyCap }] of model.campaigns) {
    expect(spent).toBeLessThanOrEqual(budget);
    const limit = Math.min(budget, ceiling ?? budget);
    const lowered = step.kind === "campaign" || step.kind === "ceiling";
    if (!lowered) {
      expect(spent + held).toBeLessThanOrEqual(Math.max(limit, before.get(campaignId) ?? 0));
      if (dailyCap !== null) {
        expect(daySpent + held).toBeLessThanOrEqual(
          Math.max(dailyCap, before.get(`${campaignId} today`) ?? 0),
        );
      }
    }
    before.set(campaignId, spent + held);
    before.set(`${campaignId} today`, daySpent + held);
  }
}

describe.each([
  { name: "one Redis", start: () => startTestRedis(), runs: rounds(24, 80) },
  { name: "a cluster", start: () => startTestRedisCluster(), runs: rounds(4, 12) },
])("any history on $name", ({ start, runs }) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let money: MoneyCommands;

  beforeAll(async () => {
    server = await start();
    redis = connectTestRedis(server.url);
    money = createMoneyCommands(redis);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it("leaves Redis in the state of the model after every step", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ steps, ...start }) => {
        const day = today();
        const rehearsal = await openRehearsal(money, redis, start);
        const before = new Map<string, number>();
        try {
          for (const step of steps) {
            await rehearsal.take(step);
            await expectSame(rehearsal, redis);
            expectWithinLimits(rehearsal.model, before, step);
          }
        } catch (error) {
          // The model does not know midnight.
          fc.pre(day === today());
          throw error;
        }
      }),
      { numRuns: runs, endOnFailure: false },
    );
  }, 300_000);
});
