import { type MatchFacts, newId } from "@diegetic/contracts";
import {
  connectRedis,
  createGameSessions,
  createMoneyCommands,
  type GameSessions,
  holdOf,
} from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { lapseHolds } from "@diegetic/testing/lapse-holds";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createBillingMeasures } from "../measures.ts";
import { Wallets } from "../testing/wallets.fixture.ts";
import { MAX_CONCURRENT_CALLS, Releaser, type ReleaserDependencies } from "./releaser.ts";

const ADVERTISER = "adv_1";
const PRICE = 250;
const logger = createLogger({ service: "billing", instance: "test", level: "silent" });
const running = new AbortController().signal;

let redis: TestRedis;
let wallets: Wallets;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  wallets = await Wallets.open(
    {
      campaigns: [
        {
          advertiserId: ADVERTISER,
          campaignId: "camp_1",
          creativeIds: ["crt_1", "crt_2"],
          affinityIds: ["aff_1", "aff_2"],
        },
        {
          advertiserId: ADVERTISER,
          campaignId: "camp_2",
          creativeIds: ["crt_3", "crt_4"],
          affinityIds: ["aff_3", "aff_4"],
        },
      ],
      games: [{ gameId: "a game: {of} ours", accountId: "acct" }],
    },
    redis.url,
  );
});
afterEach(async () => {
  await wallets.redis.flushall();
  wallets.close();
});

function createReleaser(money: ReleaserDependencies["money"] = wallets.money, nowMs = Date.now): Releaser {
  const measures = createBillingMeasures(createMetrics({ service: "billing" }));
  const { sessions, due } = wallets;
  return new Releaser({ money, sessions, due, onLapsed: () => {}, measures, logger, nowMs });
}

/** The only seat and the only appearance that a player session allows. */
const only = (sessionKey: string, ttlMs: number) => ({ ttlMs, maxUses: 1, maxAds: 1, sessionKey });

async function lapse(match: MatchFacts): Promise<void> {
  await eventually(async () =>
    (await wallets.money.listLapsed(ADVERTISER, 500)).holds.some(({ matchId }) => matchId === match.match_id),
  );
}

async function expectAllReturned(sessionKey: string): Promise<void> {
  expect(await wallets.heldMillicents(ADVERTISER)).toBe(0);
  expect((await wallets.money.listSessionReleases(ADVERTISER, 500)).items).toEqual([]);
  // There is room again for exactly one ad.
  await wallets.hold({}, only(sessionKey, 600_000));
  await expect(wallets.hold({}, only(sessionKey, 600_000))).rejects.toThrow("no match");
}

describe("Releaser", () => {
  it("returns money, the creative's appearance and the session seat", async () => {
    const session = newId("key");
    const match = await wallets.hold({}, only(session, 20));
    expect(await wallets.heldMillicents(ADVERTISER)).toBe(PRICE);
    await expect(wallets.hold({}, only(session, 600_000))).rejects.toThrow("creative_cap");
    await lapse(match);
    await createReleaser().pass(running);
    await expectAllReturned(session);
  });

  it("leaves open holds alone and looks again when the first of them lapses", async () => {
    // Long enough that the second hold, however slow, needs no announcement of its own.
    const ttlMs = 60_000;
    const lapsed = await wallets.hold({}, { ttlMs });
    const later = await wallets.hold({}, { ttlMs: 3_600_000 });
    await lapseHolds(wallets.redis, ADVERTISER, (matchId) => matchId === lapsed.match_id);
    await lapse(lapsed);
    await createReleaser(wallets.money, () => Date.now() + ttlMs).pass(running);
    expect(await wallets.heldMillicents(ADVERTISER)).toBe(PRICE);
    const [entry] = await wallets.due.registered("holds", 10);
    expect(entry?.dueMs).toBeGreaterThan(Date.now() + 3_000_000);
    await wallets.money.release(holdOf(later), "cancelled");
    expect(await wallets.heldMillicents(ADVERTISER)).toBe(0);
  });

  it("forgets the advertiser when no hold is left", async () => {
    await lapse(await wallets.hold({}, { ttlMs: 20 }));
    await createReleaser().pass(running);
    expect(await wallets.due.registered("holds", 10)).toEqual([]);
  });

  it.each([
    ["the money", async (match: MatchFacts) => void (await wallets.money.release(holdOf(match), "lapsed"))],
    [
      "the session seat",
      async (match: MatchFacts) => {
        await wallets.money.release(holdOf(match), "lapsed");
        const session = { gameId: match.game_id, sessionKey: match.session_key };
        await wallets.sessions.returnSeat(session, match.match_id);
      },
    ],
  ])("finishes what a crash left behind after %s", async (_step, crashAfter) => {
    const session = newId("key");
    const match = await wallets.hold({}, only(session, 20));
    await lapse(match);
    await crashAfter(match);
    await createReleaser().pass(running);
    await createReleaser().releaseLapsed(ADVERTISER);
    await expectAllReturned(session);
  });

  it("releases each of many holds once, with several instances at work", async () => {
    const matches = await Promise.all(Array.from({ length: 450 }, () => wallets.hold({}, { ttlMs: 1_000 })));
    expect(await wallets.heldMillicents(ADVERTISER)).toBe(450 * PRICE);
    for (const match of matches.slice(-1)) await lapse(match);
    await eventually(async () => (await wallets.money.listLapsed(ADVERTISER, 500)).holds.length === 450);
    await Promise.all([1, 2, 3].map(() => createReleaser().pass(running)));
    expect(await wallets.heldMillicents(ADVERTISER)).toBe(0);
    expect((await wallets.money.listSessionReleases(ADVERTISER, 500)).items).toEqual([]);
  });

  it("releases what it can, whatever lies in the way", async () => {
    // More of them than one page, then holds of another session than their match's, and of a campaign that is gone.
    const key = `{${ADVERTISER}}:holds`;
    for (let i = 0; i < 201; i++) await wallets.redis.zadd(key, 1, `damaged ${i}`);
    const strange = await wallets.hold({}, { ttlMs: 20 });
    const [member = ""] = (await wallets.redis.zrange(key, "0", "-1")).filter((name) =>
      name.startsWith(strange.match_id),
    );
    await wallets.redis.zadd(key, 2, member.replace(strange.session_key, "another"));
    const match = await wallets.hold({}, { ttlMs: 20 });
    const orphan = await wallets.hold({ campaign: 1 }, { ttlMs: 20 });
    await wallets.redis.del(`{${ADVERTISER}}:campaign:${orphan.campaign_id}`);
    await eventually(async () => (await wallets.money.listLapsed(ADVERTISER, 500)).holds.length === 4);
    expect(await wallets.heldMillicents(ADVERTISER)).toBe(3 * PRICE);
    await createReleaser().pass(running);
    expect(await wallets.heldMillicents(ADVERTISER)).toBe(0);
    expect(
      (await wallets.redis.zrange(key, "0", "-1")).filter((name) => name.includes(match.match_id)),
    ).toEqual([]);
    // What was announced for a later moment keeps its visit; then what cannot be released rests.
    await eventually(async () => {
      await createReleaser().pass(running);
      const [entry] = await wallets.due.registered("holds", 10);
      return (entry?.dueMs ?? 0) > Date.now() + 5_000;
    });
  });

  it("returns what it can, whatever lies among the session releases", async () => {
    const session = newId("key");
    const match = await wallets.hold({}, only(session, 20));
    await lapse(match);
    const key = `{${ADVERTISER}}:giveback`;
    await wallets.redis.hset(key, "mat_damaged", "no sessionRelease");
    // A session that is of another type: no seat can be returned to it.
    await wallets.redis.hset(key, "mat_stuck", "a%20game|stuck");
    await wallets.redis.set("{game:a%20game}:session:stuck", "1");
    await createReleaser().pass(running);
    expect(await wallets.redis.hkeys(key)).toEqual(["mat_stuck"]);
    await wallets.redis.del(key);
    await expectAllReturned(session);
  });

  it("returns the seats in other games while one game is unavailable", async () => {
    const releases = `{${ADVERTISER}}:giveback`;
    const gone = Array.from({ length: 500 }, () => [newId("mat"), "gone|session"]);
    await wallets.redis.hset(releases, Object.fromEntries([...gone, [newId("mat"), "other|session"]]));
    const cutOff = connectRedis(redis.url, { name: "cut off" });
    cutOff.disconnect();
    const unavailable = createGameSessions(cutOff);
    let calls = 0;
    const { money, due } = wallets;
    const sessions: Pick<GameSessions, "returnSeat"> = {
      returnSeat: (session, matchId) => {
        if (session.gameId !== "gone") return wallets.sessions.returnSeat(session, matchId);
        calls += 1;
        return unavailable.returnSeat(session, matchId);
      },
    };
    const measures = createBillingMeasures(createMetrics({ service: "billing" }));
    const parts = { money, sessions, due, measures, logger, nowMs: Date.now };
    await expect(new Releaser({ ...parts, onLapsed: () => {} }).returnSeats(ADVERTISER)).rejects.toThrow();
    expect(new Set(await wallets.redis.hvals(releases))).toEqual(new Set(["gone|session"]));
    expect(calls).toBeLessThanOrEqual(MAX_CONCURRENT_CALLS);
  });

  it("asks an unavailable wallet a few times only", async () => {
    const matches = await Promise.all(Array.from({ length: 40 }, () => wallets.hold({}, { ttlMs: 20 })));
    for (const match of matches) await lapse(match);
    const cutOff = connectRedis(redis.url, { name: "cut off" });
    cutOff.disconnect();
    const { release } = createMoneyCommands(cutOff);
    let calls = 0;
    const money: ReleaserDependencies["money"] = {
      ...wallets.money,
      release: (hold, kind) => {
        calls += 1;
        return release(hold, kind);
      },
    };
    await expect(createReleaser(money).releaseLapsed(ADVERTISER)).rejects.toThrow();
    expect(calls).toBeLessThanOrEqual(MAX_CONCURRENT_CALLS);
    await createReleaser().releaseLapsed(ADVERTISER);
    expect(await wallets.heldMillicents(ADVERTISER)).toBe(0);
  });

  it("does not take back an impression that was faster", async () => {
    const match = await wallets.hold({}, { ttlMs: 20 });
    await lapse(match);
    const { holds } = await wallets.money.listLapsed(ADVERTISER, 10);
    const committed = await wallets.money.commit({
      advertiserId: ADVERTISER,
      campaignId: match.campaign_id,
      gameId: match.game_id,
      creativeId: wallets.creativeOf({}),
      operationId: newId("op"),
      matchId: match.match_id,
      nowMs: Date.now(),
    });
    expect(committed.outcome).toBe("charged");
    for (const hold of holds) expect(await wallets.money.release(hold, "lapsed")).toBe("not_open");
    await createReleaser().pass(running);
    const account = await wallets.money.readAccount(ADVERTISER);
    expect(account).toMatchObject({ heldMillicents: 0, spentMillicents: PRICE });
  });
});
