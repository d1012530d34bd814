import { type MatchFacts, newId } from "@diegetic/contracts";
import {
  type AdmitRequest,
  type CarriedMatch,
  type GameSessions,
  holdOf,
  type MoneyCommands,
  type ReserveRequest,
  type ReserveResult,
  type SliceGrants,
} from "@diegetic/hot-state";
import { openWallet } from "@diegetic/testing/open-wallet";

const ADVERTISERS = 40;
const CREATIVES = 3;
const GAMES = 200;
/** Concurrent players; each makes a few requests and leaves. */
const PLAYERS_AT_ONCE = 1_000;
const ASKS_OF_A_PLAYER = 4;
const DEPOSIT_MILLICENTS = 1_000_000_000_000;
const PRICE_MILLICENTS = 1_234;
const HOLD_TTL_MS = 600_000;
const SESSION_IDLE_MS = 86_400_000;

/** A match request of the benchmark, the creative that `reserve` picked, and what the match's id carries. */
export interface Ask {
  match: MatchFacts;
  creativeId: string;
  carried: CarriedMatch | null;
}

function newAdvertiser() {
  const creatives = Array.from({ length: CREATIVES }, () => ({ creativeId: newId("crt"), maxUses: 20 }));
  return { advertiserId: newId("adv"), campaignId: newId("camp"), creatives };
}

/** Wallets that are divided into slices, and what moves money between these. */
export interface Slicing {
  slices: number;
  grants: SliceGrants;
}

/** Advertisers with one campaign each and sufficient money, and players who request their ads. */
export class Wallets {
  readonly #money: MoneyCommands;
  readonly #sessions: GameSessions;
  readonly #advertisers: ReturnType<typeof newAdvertiser>[];
  readonly #slicing: Slicing | null;
  /** Of its player sessions: each has its own. */
  readonly #prefix = newId("adv").slice(-7);
  #requested = 0;

  constructor(
    money: MoneyCommands,
    sessions: GameSessions,
    { advertisers = ADVERTISERS, slicing = null }: { advertisers?: number; slicing?: Slicing | null } = {},
  ) {
    this.#money = money;
    this.#sessions = sessions;
    this.#slicing = slicing;
    this.#advertisers = Array.from({ length: advertisers }, newAdvertiser);
  }

  async open(): Promise<void> {
    const campaign = {
      status: "active" as const,
      budgetMillicents: DEPOSIT_MILLICENTS,
      dailyCapMillicents: null,
    };
    const seed = { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 };
    for (const { advertiserId, campaignId } of this.#advertisers) {
      const account = { advertiserId, version: 1, depositedMillicents: DEPOSIT_MILLICENTS };
      await openWallet(this.#money, { ...account, slices: this.#slicing?.slices ?? 1 });
      await this.#money.applyCampaign({ advertiserId, campaignId, version: 1, ...campaign, seed });
    }
  }

  /** The next requests; each finds money. */
  asks(count: number): Ask[] {
    return Array.from({ length: count }, () => this.#ask(this.#requested++));
  }

  /** The seat that a match needs in its player's session. */
  seatOf({ match }: Ask): AdmitRequest {
    const {
      game_id: gameId,
      session_key: sessionKey,
      match_id: matchId,
      advertiser_id: advertiserId,
    } = match;
    return { gameId, sessionKey, matchId, advertiserId, maxAds: 10, idleMs: SESSION_IDLE_MS };
  }

  async admit(ask: Ask): Promise<void> {
    if (!(await this.#sessions.admit(this.seatOf(ask))).admitted) throw new Error("a session is full");
  }

  reservationOf({ match }: Ask): ReserveRequest {
    const owner = this.#advertisers.find(({ advertiserId }) => advertiserId === match.advertiser_id);
    return {
      match,
      campaignVersion: 1,
      holdTtlMs: HOLD_TTL_MS,
      sessionStartedMs: null,
      sessionIdleMs: SESSION_IDLE_MS,
      isCarried: true,
      creatives: owner?.creatives ?? [],
    };
  }

  async reserve(ask: Ask): Promise<void> {
    const request = this.reservationOf(ask);
    let reserved = await this.#money.reserve(request);
    if (reserved.outcome === "refused" && (await this.#extend(ask))) {
      reserved = await this.#money.reserve(request);
    }
    if (reserved.outcome !== "held") throw new Error(`a reservation was refused: ${reserved.reason}`);
    this.keep(ask, reserved);
  }

  /** Keeps what the impression of a reserved match needs. */
  keep(ask: Ask, { creativeId, lapsesAtMs, validFromEpoch }: ReserveResult & { outcome: "held" }): void {
    ask.creativeId = creativeId;
    ask.carried = { facts: ask.match, heldAtMs: lapsesAtMs - HOLD_TTL_MS, validFromEpoch };
  }

  /** As the match service does for a slice without money. */
  async #extend({ match }: Ask): Promise<boolean> {
    const { advertiser_id: advertiserId, campaign_id: campaignId, wallet_slice: slice = 0 } = match;
    if (this.#slicing === null || slice === 0) return false;
    const { grants, slices } = this.#slicing;
    const campaign = { advertiserId, campaignId, slices };
    const needed = { priceMillicents: match.price_millicents, isHeld: false };
    return (await grants.extend(campaign, slice, needed)) === null;
  }

  async commit({ match, creativeId, carried }: Ask): Promise<void> {
    const committed = await this.#money.commit({
      advertiserId: match.advertiser_id,
      slice: match.wallet_slice ?? 0,
      campaignId: match.campaign_id,
      gameId: match.game_id,
      creativeId,
      operationId: newId("op"),
      matchId: match.match_id,
      nowMs: Date.now(),
      carried,
    });
    if (committed.outcome !== "charged") throw new Error(`an impression was refused: ${committed.reason}`);
  }

  async cancel({ match }: Ask): Promise<void> {
    const released = await this.#money.release(holdOf(match), "cancelled");
    if (released !== "released") throw new Error(`a hold was not released: ${released}`);
  }

  #ask(number: number): Ask {
    const generation = Math.floor(number / PLAYERS_AT_ONCE / ASKS_OF_A_PLAYER);
    const player = (number % PLAYERS_AT_ONCE) + generation * PLAYERS_AT_ONCE;
    const ask = Math.floor(number / PLAYERS_AT_ONCE);
    const owner = this.#advertisers[(player * 7 + ask) % this.#advertisers.length];
    if (owner === undefined) throw new Error("there are no advertisers");
    const slice = player % (this.#slicing?.slices ?? 1);
    const match: MatchFacts = {
      match_id: newId("mat"),
      advertiser_id: owner.advertiserId,
      ...(slice > 0 && { wallet_slice: slice }),
      campaign_id: owner.campaignId,
      campaign_version: 1,
      game_id: `game-${player % GAMES}`,
      developer_account_id: "acct_01kbbenchmarkbenchmarkbench",
      user_hash: `user${String(player).padStart(18, "0")}`,
      session_key: `${this.#prefix}${String(player).padStart(15, "0")}`,
      country_code: "DE",
      affinity_score: 2.35,
      affinities: [
        { affinity_id: "aff_01kbbenchmarkbenchmarkbenc1", contribution: 1.35 },
        { affinity_id: "aff_01kbbenchmarkbenchmarkbenc2", contribution: 1 },
      ],
      price_millicents: PRICE_MILLICENTS,
      revenue_share_basis_points: 7_000,
      matched_at_ms: Date.now(),
    };
    return { match, creativeId: "", carried: null };
  }
}
