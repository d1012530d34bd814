import { type ImpressionRecord, type MatchFacts, newId } from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import {
  createGameSessions,
  createMoneyCommands,
  DueIndex,
  type GameSessions,
  type MoneyCommands,
  type RedisConnection,
} from "@diegetic/hot-state";
import { openWallet } from "@diegetic/testing/open-wallet";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { type Market, pick, type RecordChoice, recordIn } from "./market.fixture.ts";

const PLENTY_MILLICENTS = 1_000_000_000_000;
const SESSION_IDLE_MS = 1_800_000;

/** The wallets of a market in Redis, with matches and impressions as the match tier makes them. */
export class Wallets {
  readonly market: Market;
  readonly redis: RedisConnection;
  readonly money: MoneyCommands;
  readonly sessions: GameSessions;
  readonly due: DueIndex;

  private constructor(market: Market, redis: RedisConnection) {
    this.market = market;
    this.redis = redis;
    this.money = createMoneyCommands(redis);
    this.sessions = createGameSessions(redis);
    this.due = new DueIndex(redis);
  }

  static async open(market: Market, redisUrl: string): Promise<Wallets> {
    const wallets = new Wallets(market, connectTestRedis(redisUrl));
    for (const { advertiserId, campaignId } of market.campaigns)
      await wallets.apply(advertiserId, campaignId);
    return wallets;
  }

  async apply(advertiserId: string, campaignId: string): Promise<void> {
    const seed = { spentMillicents: 0, impressions: 0 };
    await openWallet(this.money, { advertiserId, version: 1, depositedMillicents: PLENTY_MILLICENTS });
    await this.money.applyCampaign({
      advertiserId,
      campaignId,
      version: 1,
      status: "active",
      budgetMillicents: PLENTY_MILLICENTS,
      dailyCapMillicents: null,
      seed: { ...seed, day: utcDay(Date.now()), daySpentMillicents: 0 },
    });
  }

  /** A match as the match tier makes it: hold, session seat and the announcement of when the hold lapses. */
  async hold(
    choice: Partial<RecordChoice> = {},
    { ttlMs = 600_000, maxUses = 20, maxAds = 50, sessionKey = newId("key") } = {},
  ): Promise<MatchFacts> {
    const { match, creative_id } = recordIn(this.market, choice);
    match.session_key = sessionKey;
    await this.due.register("holds", match.advertiser_id, Date.now() + ttlMs);
    const held = await this.money.reserve({
      match,
      campaignVersion: 1,
      holdTtlMs: ttlMs,
      sessionStartedMs: null,
      sessionIdleMs: SESSION_IDLE_MS,
      creatives: [{ creativeId: creative_id, maxUses }],
    });
    const { advertiser_id: advertiserId, game_id: gameId, match_id: matchId } = match;
    const session = { advertiserId, gameId, sessionKey, matchId };
    const { admitted } = await this.sessions.admit({ ...session, maxAds, idleMs: SESSION_IDLE_MS });
    if (held.outcome !== "held" || !admitted)
      throw new Error(`no match: ${JSON.stringify({ held, admitted })}`);
    return match;
  }

  /** A match whose impression is committed, and stands in the outbox. */
  async impress(choice: Partial<RecordChoice> = {}, dueInMs = 5_000): Promise<ImpressionRecord> {
    const match = await this.hold(choice);
    await this.due.register("outbox", match.advertiser_id, Date.now() + dueInMs);
    const charged = await this.money.commit({
      advertiserId: match.advertiser_id,
      campaignId: match.campaign_id,
      gameId: match.game_id,
      creativeId: this.creativeOf(choice),
      operationId: newId("op"),
      matchId: match.match_id,
      nowMs: Date.now(),
    });
    if (charged.outcome !== "charged" || charged.replay) throw new Error("not charged now");
    return charged.record;
  }

  creativeOf(choice: Partial<RecordChoice>): string {
    return pick(pick(this.market.campaigns, choice.campaign ?? 0).creativeIds, choice.creative ?? 0);
  }

  /** How many records of the market's advertisers are not acknowledged. */
  async outboxSize(): Promise<number> {
    let size = 0;
    for (const advertiserId of new Set(this.market.campaigns.map((campaign) => campaign.advertiserId))) {
      size += (await this.money.listOutbox(advertiserId, 500)).items.length;
    }
    return size;
  }

  async heldMillicents(advertiserId: string): Promise<number> {
    const account = await this.money.readAccount(advertiserId);
    if (account === null) throw new Error("the wallet is not there");
    return account.heldMillicents;
  }

  close(): void {
    this.redis.disconnect();
  }
}
