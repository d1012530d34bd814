import type { MatchFacts } from "@diegetic/contracts";
import {
  createGameSessions,
  createMoneyCommands,
  DueIndex,
  holdOf,
  IdempotencyClaims,
  type RedisConnection,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { openWallet, TEST_CLAIM } from "@diegetic/testing/open-wallet";
import type { Random } from "../random.ts";

/** Repeats a command until it is answered. */
export type Persist = <Result>(command: () => Promise<Result>) => Promise<Result>;

const ADVERTISER = "adv_one";
const CAMPAIGNS = ["camp_one", "camp_two"] as const;
const CREATIVES = ["crt_a", "crt_b"] as const;
const GAME = "game one";
const SESSIONS = 8;
const LONG_MS = 600_000;
const PRICE_MILLICENTS = 1_000;
const PLENTY_MILLICENTS = 250_000;
const BASE_MS = 2_000_000_000_000;

/**
 * Everything that moves money, caps, sessions, claims and the snapshot, in an order derived from a seed. Two runs with
 * one seed make the same calls.
 */
export class Operations {
  readonly #random: Random;
  readonly #persist: Persist;
  readonly #money;
  readonly #sessions;
  readonly #claims;
  readonly #due;
  readonly #publisher;
  readonly #matches: { facts: MatchFacts; lapses: boolean }[] = [];
  #version = 1;
  /** The version of each campaign in Redis: a caller with a newer version is refused. */
  readonly #campaignVersions = new Map<string, number>();
  #epoch = 0;
  #number = 0;

  constructor(redis: RedisConnection, random: Random, persist: Persist) {
    this.#random = random;
    this.#persist = persist;
    this.#money = createMoneyCommands(redis);
    this.#sessions = createGameSessions(redis);
    this.#claims = new IdempotencyClaims(redis);
    // A fixed clock: what is remembered as registered must not depend on the machine's speed.
    this.#due = new DueIndex(redis, { nowMs: () => BASE_MS });
    this.#publisher = new SnapshotPublisher(redis);
  }

  async open(): Promise<void> {
    await openWallet(this.#money, {
      advertiserId: ADVERTISER,
      version: 1,
      depositedMillicents: PLENTY_MILLICENTS,
    });
    for (const campaignId of CAMPAIGNS) await this.#applyCampaign(campaignId, PLENTY_MILLICENTS);
  }

  /** Runs one operation. Returns its name and its result, as far as lost replies do not affect it. */
  async next(): Promise<string> {
    const random = this.#random;
    const draw = random.next();
    if (draw < 0.32 || this.#matches.length === 0) return this.#reserve();
    if (draw < 0.55) return this.#commit(random.pick(this.#matches).facts.match_id);
    if (draw < 0.63) return this.#commit(null);
    if (draw < 0.77) return this.#release();
    if (draw < 0.86) return this.#change();
    if (draw < 0.92) return this.#admit();
    if (draw < 0.95) return this.#claim();
    if (draw < 0.97) return this.#announce();
    return this.#recover();
  }

  async #reserve(): Promise<string> {
    const random = this.#random;
    const campaignId = random.pick(CAMPAIGNS);
    const lapses = random.chance(0.25);
    const campaignVersion = this.#campaignVersions.get(campaignId) ?? this.#version;
    const facts: MatchFacts = {
      match_id: `mat_${this.#next()}`,
      advertiser_id: ADVERTISER,
      campaign_id: campaignId,
      campaign_version: campaignVersion,
      game_id: GAME,
      developer_account_id: "acct_dev",
      user_hash: "user",
      session_key: `session_${random.integer(1, SESSIONS)}`,
      country_code: null,
      affinity_score: 0,
      affinities: [],
      price_millicents: PRICE_MILLICENTS,
      revenue_share_basis_points: 7_000,
      matched_at_ms: BASE_MS,
    };
    const result = await this.#persist(() =>
      this.#money.reserve({
        match: facts,
        campaignVersion,
        holdTtlMs: lapses ? 1 : LONG_MS,
        sessionStartedMs: null,
        sessionIdleMs: LONG_MS,
        creatives: CREATIVES.map((creativeId) => ({ creativeId, maxUses: 20 })),
      }),
    );
    if (result.outcome === "held") this.#matches.push({ facts, lapses });
    return `reserve ${result.outcome === "held" ? `${result.creativeId} ${result.timesSeen}` : result.reason}`;
  }

  async #commit(matchId: string | null): Promise<string> {
    const operationId = `op_${this.#next()}`;
    const isKeyed = this.#random.chance(0.5);
    const campaignId =
      this.#matches.find(({ facts }) => facts.match_id === matchId)?.facts.campaign_id ?? CAMPAIGNS[0];
    const result = await this.#persist(async () => {
      // A match has no creative before its commit: a wrong creative is refused and changes nothing.
      const named = { operationId, isKeyed, matchId };
      const request = { advertiserId: ADVERTISER, campaignId, gameId: GAME, nowMs: BASE_MS, ...named };
      const first = await this.#money.commit({ ...request, creativeId: CREATIVES[0] });
      if (first.outcome === "charged" || first.reason !== "no_match") return first;
      return this.#money.commit({ ...request, creativeId: CREATIVES[1] });
    });
    return `commit ${result.outcome === "charged" ? result.record.impression_id : result.reason}`;
  }

  async #release(): Promise<string> {
    const { facts, lapses } = this.#random.pick(this.#matches);
    const reason = lapses ? "lapsed" : "cancelled";
    const result = await this.#persist(async () => {
      for (;;) {
        const code = await this.#money.release(holdOf(facts), reason);
        if (code !== "not_due") return code;
      }
    });
    return `release ${reason} ${result}`;
  }

  async #change(): Promise<string> {
    const random = this.#random;
    this.#version += 1;
    const campaignId = random.pick(CAMPAIGNS);
    const kind = random.pick(["account", "campaign", "ceiling", "publish", "forget"] as const);
    const amount = PLENTY_MILLICENTS + this.#version * 10_000;
    if (kind === "account") {
      const account = { advertiserId: ADVERTISER, version: this.#version, depositedMillicents: amount };
      await this.#persist(() => this.#money.applyAccount(account));
    } else if (kind === "campaign") {
      await this.#applyCampaign(campaignId, amount);
    } else if (kind === "ceiling") {
      const ceiling = random.integer(0, amount);
      await this.#persist(() => this.#money.setBudgetCeiling(ADVERTISER, campaignId, ceiling));
    } else if (kind === "forget") {
      const entity = { name: `campaign:${campaignId}`, rowVersion: this.#version };
      await this.#persist(() => this.#publisher.forget([entity]));
    } else {
      const json = random.chance(0.2) ? null : JSON.stringify({ version: this.#version });
      const entry = { name: `campaign:${campaignId}`, rowVersion: this.#version, json };
      await this.#persist(() => this.#publisher.publish([entry]));
    }
    return kind;
  }

  #applyCampaign(campaignId: string, budgetMillicents: number): Promise<unknown> {
    this.#campaignVersions.set(campaignId, this.#version);
    const state = {
      advertiserId: ADVERTISER,
      campaignId,
      version: this.#version,
      status: "active" as const,
      budgetMillicents,
      dailyCapMillicents: null,
    };
    const seed = { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 };
    return this.#persist(() => this.#money.applyCampaign({ ...state, seed }));
  }

  async #admit(): Promise<string> {
    const random = this.#random;
    const session = { gameId: GAME, sessionKey: `session_${random.integer(1, SESSIONS)}` };
    const { match_id, advertiser_id } = random.pick(this.#matches).facts;
    if (random.chance(0.4)) {
      await this.#persist(() => this.#sessions.returnSeat(session, match_id));
      return "returnSeat";
    }
    const seat = { matchId: match_id, advertiserId: advertiser_id };
    const request = { ...session, ...seat, maxAds: 10, idleMs: LONG_MS };
    const { admitted, count } = await this.#persist(() => this.#sessions.admit(request));
    return `admit ${admitted} ${count}`;
  }

  async #claim(): Promise<string> {
    const operation = `operation ${this.#random.integer(1, 20)}`;
    const body = `body ${this.#random.integer(1, 2)}`;
    const claim = await this.#persist(() => this.#claims.claim(operation, body));
    const charged = this.#random.chance(0.5) ? "mat_claimed" : null;
    await this.#persist(() => this.#claims.finish(operation, body, charged));
    return claim.outcome === "conflict" ? "claim conflict" : "claim";
  }

  async #announce(): Promise<string> {
    const dueMs = BASE_MS + this.#random.integer(1, 1_000_000);
    const kind = this.#random.pick(["holds", "outbox"] as const);
    await this.#persist(async () => this.#due.register(kind, ADVERTISER, dueMs));
    const done = await this.#persist(() => this.#money.listOutbox(ADVERTISER, 500));
    const ids = done.items.map(({ impression_id }) => impression_id).sort();
    await this.#persist(() => this.#money.ackOutbox(ADVERTISER, ids.slice(0, 20)));
    return `announce ${ids.length}`;
  }

  /** A new epoch: freezes and restores the wallet, then settles a missed impression. */
  async #recover(): Promise<string> {
    this.#epoch += 1;
    const epoch = this.#epoch;
    for (;;) {
      const found = await this.#persist(() => this.#money.freezeUnlessLive(ADVERTISER, epoch, TEST_CLAIM));
      if (found.state !== "frozen") break;
      const account = await this.#persist(() => this.#money.readAccount(ADVERTISER));
      if (account === null) throw new Error("the wallet is gone");
      await this.#persist(() =>
        this.#money.restoreWallet({
          walletId: ADVERTISER,
          found,
          epoch,
          forgetMatches: false,
          version: account.version,
          depositedMillicents: account.depositedMillicents,
          spentMillicents: account.spentMillicents,
          impressions: account.impressions,
          settledMarks: [],
          campaigns: [],
        }),
      );
    }
    const settlement = {
      epoch,
      kind: "late" as const,
      walletId: ADVERTISER,
      campaignId: this.#random.pick(CAMPAIGNS),
      gameId: GAME,
      impressionId: `imp_${this.#next()}`,
      matchId: `mat_${this.#next()}`,
      priceMillicents: PRICE_MILLICENTS,
      day: new Date().toISOString().slice(0, 10),
      committedInEpoch: 0,
    };
    await this.#persist(() => this.#money.settle(settlement));
    return "recover";
  }

  #next(): string {
    this.#number += 1;
    return String(this.#number).padStart(6, "0");
  }
}
