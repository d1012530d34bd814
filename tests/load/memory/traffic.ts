import { type MatchFacts, newId } from "@diegetic/contracts";
import {
  createGameSessions,
  createMoneyCommands,
  type GameSessions,
  type ImpressionTimes,
  type MoneyCommands,
  type RedisConnection,
} from "@diegetic/hot-state";
import { openWallet } from "@diegetic/testing/open-wallet";

const ADVERTISERS = 10;
const GAMES = 10;
const DEPOSIT_MILLICENTS = 1_000_000_000_000;
const PRICE_MILLICENTS = 1_234;
const AT_ONCE = 64;
const PAGE = 500;

/** Lifetimes within one measurement. */
export interface Lives extends ImpressionTimes {
  sessionIdleMs: number;
}

/** A match, and the ids for its impression. */
interface Taken {
  match: MatchFacts;
  creativeId: string;
}

/** Players who get the same number of ads each, handled like in match and billing. */
export class Traffic {
  readonly #money: MoneyCommands;
  readonly #sessions: GameSessions;
  readonly #lives: Lives;
  readonly #campaigns = Array.from({ length: ADVERTISERS }, () => ({
    advertiserId: newId("adv"),
    campaignId: newId("camp"),
    creativeId: newId("crt"),
    affinityIds: [newId("aff"), newId("aff")] as const,
  }));
  readonly #developerAccountId = newId("acct");
  readonly #matchesOfSession: number;
  #matches = 0;

  constructor(redis: RedisConnection, lives: Lives, matchesOfSession = 1) {
    this.#money = createMoneyCommands(redis, lives);
    this.#sessions = createGameSessions(redis);
    this.#lives = lives;
    this.#matchesOfSession = matchesOfSession;
  }

  async open(): Promise<void> {
    const seed = { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 };
    for (const { advertiserId, campaignId } of this.#campaigns) {
      await openWallet(this.#money, { advertiserId, version: 1, depositedMillicents: DEPOSIT_MILLICENTS });
      await this.#money.applyCampaign({
        advertiserId,
        campaignId,
        version: 1,
        status: "active",
        budgetMillicents: DEPOSIT_MILLICENTS,
        dailyCapMillicents: null,
        seed,
      });
    }
  }

  /** Matches of new players. */
  async take(count: number, lives: Lives = this.#lives): Promise<Taken[]> {
    const taken: Taken[] = [];
    await inParts(Array.from({ length: count }), async () => taken.push(await this.#takeOne(lives)));
    return taken;
  }

  /** Their impressions, and billing's acknowledgement once they are in Postgres. */
  async see(taken: readonly Taken[]): Promise<void> {
    await inParts(taken, async ({ match, creativeId }) => {
      const { advertiser_id: advertiserId } = match;
      const committed = await this.#money.commit({
        advertiserId,
        campaignId: match.campaign_id,
        gameId: match.game_id,
        creativeId,
        operationId: newId("op"),
        matchId: match.match_id,
        nowMs: Date.now(),
      });
      if (committed.outcome !== "charged") throw new Error(`an impression was refused: ${committed.reason}`);
      await this.#money.ackOutbox(advertiserId, [committed.record.impression_id]);
    });
  }

  /** Releases lapsed holds like billing. Returns their number. */
  async releaseLapsed(): Promise<number> {
    let released = 0;
    for (const { advertiserId } of this.#campaigns) {
      for (;;) {
        const { holds } = await this.#money.listLapsed(advertiserId, PAGE);
        await inParts(holds, (hold) => this.#money.release(hold, "lapsed"));
        released += holds.length;
        if (holds.length < PAGE) break;
      }
      for (let cursor: string | undefined; ; ) {
        const page = await this.#money.listSessionReleases(advertiserId, PAGE, cursor);
        await inParts(page.items, (sessionRelease) =>
          this.#sessions.returnSeat(sessionRelease, sessionRelease.matchId),
        );
        for (let start = 0; start < page.items.length; start += PAGE) {
          const ids = page.items.slice(start, start + PAGE).map(({ matchId }) => matchId);
          await this.#money.ackSessionReleases(advertiserId, ids);
        }
        if (page.cursor === null) break;
        cursor = page.cursor;
      }
    }
    return released;
  }

  async #takeOne({ holdTtlMs, sessionIdleMs }: Lives): Promise<Taken> {
    const match = this.#facts();
    const {
      game_id: gameId,
      session_key: sessionKey,
      match_id: matchId,
      advertiser_id: advertiserId,
    } = match;
    const campaign = this.#campaigns.find(({ campaignId }) => campaignId === match.campaign_id);
    const [reserved] = await Promise.all([
      this.#money.reserve({
        match,
        campaignVersion: 1,
        holdTtlMs,
        sessionStartedMs: null,
        sessionIdleMs,
        isCarried: true,
        creatives: [{ creativeId: campaign?.creativeId ?? "", maxUses: 20 }],
      }),
      this.#sessions.admit({
        gameId,
        sessionKey,
        matchId,
        advertiserId,
        maxAds: 10,
        idleMs: sessionIdleMs,
      }),
    ]);
    if (reserved.outcome !== "held") throw new Error(`a reservation was refused: ${reserved.reason}`);
    return { match, creativeId: reserved.creativeId };
  }

  #facts(): MatchFacts {
    const player = Math.floor(this.#matches++ / this.#matchesOfSession);
    const campaign = this.#campaigns[player % ADVERTISERS];
    if (campaign === undefined) throw new Error("there are no campaigns");
    const name = (of: string) => `${of}${String(player).padStart(21, "0")}`;
    return {
      match_id: newId("mat"),
      advertiser_id: campaign.advertiserId,
      campaign_id: campaign.campaignId,
      campaign_version: 1,
      game_id: `game-${Math.floor(player / ADVERTISERS) % GAMES}`,
      developer_account_id: this.#developerAccountId,
      user_hash: name("u"),
      session_key: name("s"),
      country_code: "DE",
      affinity_score: 2.35,
      affinities: campaign.affinityIds.map((affinity_id, index) => ({
        affinity_id,
        contribution: index === 0 ? 1.35 : 1,
      })),
      price_millicents: PRICE_MILLICENTS,
      revenue_share_basis_points: 7_000,
      matched_at_ms: Date.now(),
    };
  }
}

async function inParts<Item>(items: readonly Item[], call: (item: Item) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(call));
  }
}
