import { hash } from "node:crypto";
import type { MatchFacts } from "@diegetic/contracts";
import { newId } from "@diegetic/contracts";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { advertiserKeys, chargedField, encodeName } from "../keys.ts";
import { createWalletReader } from "../reconciliation/wallet-summary.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { asReplay, HOLD_TTL_MS, TestWallet, today } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;
let wallet: TestWallet;
/** Held by an earlier version, and open during the upgrade. */
let match: MatchFacts;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: "earlier-entries-test" });
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

type Form = "JSON" | "whole ids";

/** The facts of a match, and `since` of its caps, as entries of these versions had them. */
function earlierFacts(form: Form, facts: MatchFacts, nowUs: string): { capSince: string; stored: string } {
  if (form === "JSON") return { capSince: nowUs, stored: JSON.stringify(facts) };
  const { user_hash, country_code, campaign_version, revenue_share_basis_points, affinity_score } = facts;
  const own = `${user_hash}|${country_code}|${campaign_version}|${revenue_share_basis_points}|${affinity_score}`;
  const affinities = facts.affinities.map((one) => `${one.affinity_id}:${one.contribution}`).join(",");
  return {
    capSince: "-0",
    stored: `${own}|${facts.matched_at_ms}|${facts.developer_account_id}|${affinities}`,
  };
}

/** The writes of that version's `reserve`. */
async function holdLikeTheEarlierVersion(form: Form, facts: MatchFacts): Promise<void> {
  const { advertiserId, campaignId, gameId, creativeId } = wallet;
  const { match_id: id, price_millicents: price, session_key: session } = facts;
  const nowMs = Date.now();
  const nowUs = `${nowMs}123`;
  const lapsesAtMs = nowMs + HOLD_TTL_MS;
  const [account, campaign] = [
    advertiserKeys.account(advertiserId),
    advertiserKeys.campaign(advertiserId, campaignId),
  ];
  const matches = advertiserKeys.matches(advertiserId, campaignId, gameId);
  const { capSince, stored } = earlierFacts(form, facts, nowUs);
  const entry = `O|${price}|${lapsesAtMs}|${nowUs}|${creativeId}|${session}|0|${capSince}|||${stored}`;
  const game = encodeName(gameId);
  const member = `${id}|${campaignId}|${game}|${session}|${facts.developer_account_id}|${price}`;
  const epoch = (await redis.hget(account, "era")) ?? "";
  await redis
    .multi()
    .hset(matches, ":era", epoch)
    .hset(advertiserKeys.cap(advertiserId, gameId, session), {
      since: nowUs,
      [creativeId]: 1,
      [`n:${creativeId}`]: 1,
    })
    .pexpire(advertiserKeys.cap(advertiserId, gameId, session), 176_400_000)
    .hincrby(account, "held", price)
    .hincrby(account, "seq", 1)
    .hincrby(campaign, "held", price)
    .hincrby(campaign, "rotation", 1)
    .zadd(advertiserKeys.holds(advertiserId), lapsesAtMs, member)
    .hset(advertiserKeys.shares(advertiserId, campaignId), {
      [facts.developer_account_id]: `1|${price}`,
      [`g:${game}`]: price,
    })
    .zadd(advertiserKeys.pending(advertiserId, campaignId, gameId), 0, `${creativeId}:${nowUs}:${id}`)
    .hset(matches, id, entry)
    .zadd(advertiserKeys.history(advertiserId, campaignId, gameId), nowMs + 87_600_000, id)
    .exec();
}

describe("a lapsed match that an earlier version stored", () => {
  it.each(["with all of its facts", "without the creative's id"])(
    "%s is charged without its id",
    async (form) => {
      wallet = await TestWallet.open(money, redis);
      const affinities = [newId("aff"), newId("aff")].map((id) => ({ affinity_id: id, contribution: 0.5 }));
      match = await wallet.hold({ session_key: "s", affinities }, { isCarried: true });
      await wallet.age(match, HOLD_TTL_MS + 1);
      expect(await money.release(holdOf(match), "lapsed")).toBe("released");
      const { advertiserId, campaignId, gameId } = wallet;
      const parts = affinities.map((one) => `${one.affinity_id.slice(4)}:${one.contribution}`).join(",");
      const facts = `user|DE|1|7000|1.25|${match.matched_at_ms}||${parts}`;
      const matches = advertiserKeys.matches(advertiserId, campaignId, gameId);
      expect(await redis.hdel(matches, `${wallet.creativeId.slice(-12)}:`)).toBe(1);
      if (form === "with all of its facts") {
        await redis.hset(matches, match.match_id, `S|1000|${HOLD_TTL_MS}|s|${facts}`);
      }
      expect(await wallet.commit()).toMatchObject(record());
    },
  );
});

describe("a charge that an earlier version remembered", () => {
  it.each(["with scope and creative", "without"])("%s is the answer to a retry", async (form) => {
    wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId, creativeId } = wallet;
    const { match_id: matchId } = await wallet.hold();
    const charged = await wallet.commit({ matchId });
    const [key, field] = [advertiserKeys.charged(advertiserId, matchId), chargedField(matchId)];
    const value = await redis.hgetBuffer(key, field);
    if (value === null) throw new Error("the charge is not there");
    const scope = `${campaignId}|${encodeName(gameId)}`;
    if (form === "without") value.fill(0, 7, 10);
    else hash("sha1", `${scope}|${creativeId}`, "buffer").copy(value, 7, 0, 3);
    await redis.hset(key, field, value);
    expect(await wallet.commit({ matchId })).toEqual(asReplay(charged));
  });
});

function pendingMembers(): Promise<string[]> {
  const { advertiserId, campaignId, gameId } = wallet;
  return redis.zrange(advertiserKeys.pending(advertiserId, campaignId, gameId), "0", "-1");
}

const record = () => ({ outcome: "charged", replay: false, record: { match } });

describe.each<Form>(["JSON", "whole ids"])("a match that an earlier version stored with %s", (form) => {
  beforeEach(async () => {
    wallet = await TestWallet.open(money, redis);
    const affinities = [newId("aff"), newId("aff")].map((id) => ({ affinity_id: id, contribution: 0.5 }));
    match = wallet.match({ game_id: wallet.gameId, session_key: "s", affinities });
    await holdLikeTheEarlierVersion(form, match);
  });

  it.each([true, false])("is charged (with its id: %s), and a retry gets the same", async (isNamed) => {
    const request = { operationId: newId("op"), matchId: isNamed ? match.match_id : null };
    const charged = await wallet.commit(request);
    expect(charged).toMatchObject(record());
    expect(await wallet.commit(request)).toMatchObject({ outcome: "charged", replay: true });
    expect(await wallet.spentAndHeld()).toEqual({ spent: match.price_millicents, held: 0 });
    expect(await pendingMembers()).toEqual([]);
  });

  it.each([true, false])("lapses, and is charged late (with its id: %s)", async (isNamed) => {
    await wallet.age(match, HOLD_TTL_MS + 1);
    const { holds } = await money.listLapsed(wallet.advertiserId, 10);
    expect(holds.map(({ matchId }) => matchId)).toEqual([match.match_id]);
    for (const hold of holds) expect(await money.release(hold, "lapsed")).toBe("released");
    const cap = advertiserKeys.cap(wallet.advertiserId, wallet.gameId, match.session_key);
    expect(await redis.hget(cap, wallet.creativeId)).toBeNull();
    expect(await wallet.commit({ matchId: isNamed ? match.match_id : null })).toMatchObject(record());
    expect(await wallet.commit({ matchId: match.match_id })).toMatchObject({ replay: true });
    expect(await wallet.spentAndHeld()).toEqual({ spent: match.price_millicents, held: 0 });
    expect(await pendingMembers()).toEqual([]);
  });

  it("is charged without its id before a later one", async () => {
    const later = await wallet.hold({ session_key: "another_session" });
    for (const { match_id: matchId } of [match, later]) {
      expect(await wallet.commit()).toMatchObject({ record: { match: { match_id: matchId } } });
    }
    expect(await wallet.commit()).toMatchObject({ reason: "no_match" });
    expect(await pendingMembers()).toEqual([]);
  });

  it("is forgotten once it can no longer be billed", async () => {
    const { advertiserId, campaignId, gameId } = wallet;
    await wallet.age(match, HOLD_TTL_MS + 1);
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    const history = advertiserKeys.history(advertiserId, campaignId, gameId);
    expect(await redis.zcard(history)).toBe(1);
    await redis.zadd(history, 1, match.match_id, 1, "mat_a", 1, "mat_b", 1, "mat_c");
    const later = [];
    while ((await redis.zscore(history, match.match_id)) !== null) later.push(await wallet.hold());
    const kept = await redis.hkeys(advertiserKeys.matches(advertiserId, campaignId, gameId));
    expect(kept.sort()).toEqual([":account", ":era", ...later.map(({ match_id: id }) => id)]);
    expect(await pendingMembers()).toHaveLength(later.length);
  });

  it("is cancelled", async () => {
    expect(await money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await wallet.commit({ matchId: match.match_id })).toMatchObject({ reason: "no_match" });
    const { advertiserId, campaignId } = wallet;
    expect(await redis.exists(advertiserKeys.shares(advertiserId, campaignId))).toBe(0);
  });

  it("is taken by a late settlement, and a retry gets the time that Postgres has", async () => {
    const { advertiserId, campaignId, gameId } = wallet;
    const settlement = {
      epoch: 0,
      kind: "late" as const,
      impressionId: newId("imp"),
      matchId: match.match_id,
      advertiserId,
      campaignId,
      gameId,
      priceMillicents: match.price_millicents,
      day: today(),
      committedInEpoch: 0,
      recordedAtMs: 1_700_000_000_000,
    };
    expect(await money.settle(settlement)).toBe("settled");
    expect(await wallet.commit({ matchId: match.match_id })).toMatchObject({
      replay: true,
      record: { recorded_at_ms: settlement.recordedAtMs },
    });
    expect(await wallet.spentAndHeld()).toEqual({ spent: match.price_millicents, held: 0 });
  });

  it("is held once when its reservation is repeated, and counts its campaign version", async () => {
    const repeated = wallet.request(match);
    expect(await money.reserve(repeated)).toMatchObject({ outcome: "held", timesSeen: 0 });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: match.price_millicents });
    const reader = createWalletReader(redis);
    expect(await reader.newestHeldVersion(wallet.advertiserId, wallet.campaignId)).toBe(1);
  });
});
