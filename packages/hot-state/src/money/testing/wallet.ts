import { type MatchFacts, newId } from "@diegetic/contracts";
import { openWallet } from "@diegetic/testing/open-wallet";
import type { RedisConnection } from "../../connection.ts";
import { encodeName, walletKeys, walletOfMatch } from "../../keys.ts";
import type { CampaignState } from "../campaign-state.ts";
import type { CommitRequest, CommitResult } from "../commit.ts";
import type { ReserveRequest } from "../reserve.ts";
import type { MoneyCommands } from "../types.ts";

export const HOLD_TTL_MS = 600_000;
export const SESSION_IDLE_MS = 1_800_000;
const NEW_SEED = { spentMillicents: 0, impressions: 0 };

/** YYYY-MM-DD of now, UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** What a retry of it answers. */
export function asReplay(result: CommitResult): CommitResult {
  if (result.outcome !== "charged") return result;
  const { impression_id, creative_id, recorded_at_ms, match } = result.record;
  const { match_id, campaign_id, game_id, price_millicents } = match;
  const known = { match_id, campaign_id, game_id, price_millicents };
  return {
    outcome: "charged",
    record: { impression_id, creative_id, recorded_at_ms, match: known },
    replay: true,
  };
}

/** An advertiser with one campaign, and short ways of asking for matches and impressions of it. */
export class TestWallet {
  readonly advertiserId: string;
  readonly campaignId = newId("camp");
  readonly creativeId = newId("crt");
  readonly gameId = "a game: {of} ours";
  readonly money: MoneyCommands;
  readonly redis: RedisConnection;

  constructor(money: MoneyCommands, redis: RedisConnection, advertiserId = newId("adv")) {
    this.advertiserId = advertiserId;
    this.money = money;
    this.redis = redis;
  }

  static async open(
    money: MoneyCommands,
    redis: RedisConnection,
    {
      depositedMillicents = 1_000_000,
      ...campaign
    }: Partial<CampaignState> & { depositedMillicents?: number } = {},
  ): Promise<TestWallet> {
    const wallet = new TestWallet(money, redis);
    await openWallet(money, { advertiserId: wallet.advertiserId, version: 1, depositedMillicents });
    await money.applyCampaign(wallet.campaign(campaign));
    return wallet;
  }

  campaign(overrides: Partial<CampaignState> = {}): CampaignState {
    return {
      advertiserId: this.advertiserId,
      campaignId: this.campaignId,
      version: 1,
      status: "active",
      budgetMillicents: 1_000_000,
      dailyCapMillicents: null,
      seed: { ...NEW_SEED, day: today(), daySpentMillicents: 0 },
      ...overrides,
    };
  }

  match(overrides: Partial<MatchFacts> = {}): MatchFacts {
    return {
      match_id: newId("mat"),
      advertiser_id: this.advertiserId,
      campaign_id: this.campaignId,
      campaign_version: 1,
      game_id: this.gameId,
      developer_account_id: "acct_1",
      user_hash: "user",
      session_key: newId("key"),
      country_code: "DE",
      affinity_score: 1.25,
      affinities: [{ affinity_id: "aff_1", contribution: 0.5 }],
      price_millicents: 1_000,
      revenue_share_basis_points: 7_000,
      matched_at_ms: Date.now(),
      ...overrides,
    };
  }

  request(match: Partial<MatchFacts> = {}, overrides: Partial<ReserveRequest> = {}): ReserveRequest {
    return {
      match: this.match(match),
      campaignVersion: 1,
      holdTtlMs: HOLD_TTL_MS,
      sessionStartedMs: null,
      sessionIdleMs: SESSION_IDLE_MS,
      creatives: [{ creativeId: this.creativeId, maxUses: 20, rotatesHooks: true }],
      ...overrides,
    };
  }

  /** Holds, or fails the test. */
  async hold(match: Partial<MatchFacts> = {}, overrides: Partial<ReserveRequest> = {}): Promise<MatchFacts> {
    const request = this.request(match, overrides);
    const result = await this.money.reserve(request);
    if (result.outcome !== "held") throw new Error(`refused: ${result.reason}`);
    return request.match;
  }

  commit(overrides: Partial<CommitRequest> = {}) {
    return this.money.commit({
      advertiserId: this.advertiserId,
      campaignId: this.campaignId,
      gameId: this.gameId,
      creativeId: this.creativeId,
      operationId: newId("op"),
      matchId: null,
      nowMs: Date.now(),
      ...overrides,
    });
  }

  async totals() {
    const account = await this.money.readAccount(this.advertiserId);
    const campaign = await this.money.readCampaign(this.advertiserId, this.campaignId);
    if (account === null || campaign === null) throw new Error("the wallet is not there");
    return { account, campaign };
  }

  /** What is spent and held of the campaign and the account, which must agree as long as there is one campaign. */
  async spentAndHeld(): Promise<{ spent: number; held: number }> {
    const { account, campaign } = await this.totals();
    if (
      account.spentMillicents !== campaign.spentMillicents ||
      account.heldMillicents !== campaign.heldMillicents
    ) {
      throw new Error(`account and campaign disagree: ${JSON.stringify({ account, campaign })}`);
    }
    return { spent: account.spentMillicents, held: account.heldMillicents };
  }

  /** As if the match had been taken so much earlier: its hold lapses earlier too. */
  async age(match: MatchFacts, ms: number): Promise<void> {
    const key = (name: "matches" | "pending" | "history") =>
      walletKeys[name](walletOfMatch(match), match.campaign_id, match.game_id);
    const text = await this.redis.hget(key("matches"), match.match_id);
    if (text === null) throw new Error("no such match");
    const fields = text.split("|");
    const [state, price, lapsesAtMs, heldAtUs, , sessionKey] = fields;
    if (state === "T") {
      fields[9] = String(Number(fields[9]) + ms);
      await this.redis.hset(key("matches"), match.match_id, fields.join("|"));
    } else {
      fields[2] = String(Number(lapsesAtMs) - ms);
      fields[3] = String(Number(heldAtUs) - ms * 1_000);
      fields[7] = `-${Number(fields[7]?.slice(1)) - ms * 1_000}`;
      await this.redis.hset(key("matches"), match.match_id, fields.join("|"));
    }
    for (const member of await this.redis.zrange(key("pending"), "0", "-1")) {
      const [creative, heldAt = "", name = ""] = member.split(":");
      if (!match.match_id.endsWith(name)) continue;
      await this.redis.zrem(key("pending"), member);
      await this.redis.zadd(key("pending"), 0, `${creative}:${Number(heldAt) - ms}:${name}`);
    }
    const dueMs = await this.redis.zscore(key("history"), match.match_id);
    if (dueMs !== null) await this.redis.zincrby(key("history"), -ms, match.match_id);
    const holds = walletKeys.holds(walletOfMatch(match));
    const scope = `${match.campaign_id}|${encodeName(match.game_id)}`;
    const member = `${match.match_id}|${scope}|${sessionKey}|${match.developer_account_id}|${price}`;
    if ((await this.redis.zscore(holds, member)) !== null) await this.redis.zincrby(holds, -ms, member);
  }
}
