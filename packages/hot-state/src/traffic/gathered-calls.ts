import { COUNTED, type ServingOperation } from "./limits.ts";
import { type SceneContext, sceneText, wordsOf } from "./scene.ts";

export interface GameOfAccount {
  gameId: string;
  accountId: string;
}

/** One valid call of a game server. */
export interface MatchCall extends GameOfAccount {
  atMs: number;
  context: SceneContext;
  countryCode: string | null;
  /** Undefined: there was an ad. */
  noMatchReason?: string | undefined;
  /** Texts that identify the player; never stored. */
  secrets: readonly (string | undefined)[];
}

export interface GatheringLimits {
  /** Games, and accounts; games of one account at most half of what the others leave. Further ones are not counted. */
  maxRemembered: number;
  /** Scenes whose words are counted; of one account at most half of what the others leave. */
  maxWordScenes: number;
  /** Scenes without an ad that are kept, at most one per account. */
  maxScenes: number;
}

export interface Counts {
  counts: Map<string, number>;
  /** Unix milliseconds by kind of call. */
  last: Map<string, number>;
}

export interface GameCounts extends Counts {
  words: Map<string, number>;
  scenes: string[];
}

export interface AccountCounts extends Counts {
  games: Map<string, GameCounts>;
  /** Scenes whose words were counted. */
  wordScenes: number;
}

/** Counts calls of one hour in memory, within limits, until they are sent. */
export class GatheredCalls {
  /** Counted since 1970. */
  readonly hour: number;
  readonly accounts = new Map<string, AccountCounts>();
  readonly #limits: GatheringLimits;
  #gameCount = 0;
  #wordScenes = 0;
  /** Of the scenes that were kept: one each, so that every account has a chance. */
  readonly #sceneAccounts = new Set<string>();

  constructor(hour: number, limits: GatheringLimits) {
    this.hour = hour;
    this.#limits = limits;
  }

  match(call: MatchCall): void {
    const { atMs, noMatchReason, context, secrets } = call;
    const account = this.#calledAccount(call.accountId, atMs);
    const game = this.ensureGame(call);
    if (account === undefined || game === undefined) return;
    game.last.set("request", atMs);
    if (noMatchReason === undefined) {
      add(game.counts, COUNTED.match);
      game.last.set("match", atMs);
    } else {
      add(game.counts, COUNTED.noMatch(noMatchReason));
      this.#keepScene(call, noMatchReason, game);
    }
    if (account.wordScenes >= this.#limits.maxWordScenes - this.#wordScenes) return;
    account.wordScenes += 1;
    this.#wordScenes += 1;
    for (const word of wordsOf(context, secrets)) add(game.words, word);
  }

  #keepScene(
    { accountId, atMs, countryCode, context, secrets }: MatchCall,
    reason: string,
    game: GameCounts,
  ) {
    if (this.#sceneAccounts.size >= this.#limits.maxScenes || this.#sceneAccounts.has(accountId)) return;
    const text = sceneText({ atMs, reason, countryCode, context }, secrets);
    if (text === undefined) return;
    this.#sceneAccounts.add(accountId);
    game.scenes.push(text);
  }

  impression(called: GameOfAccount, atMs: number): void {
    this.#calledAccount(called.accountId, atMs);
    const game = this.ensureGame(called);
    if (game === undefined) return;
    add(game.counts, COUNTED.impression);
    game.last.set("impression", atMs);
  }

  gameRefusal(called: GameOfAccount, operation: ServingOperation, status: number, atMs: number): void {
    const game = this.ensureGame(called);
    if (game === undefined) return;
    add(game.counts, COUNTED.refusal(operation, status));
    game.last.set("request", atMs);
  }

  accountRefusal(accountId: string, operation: ServingOperation, status: number, atMs: number): void {
    const account = this.#calledAccount(accountId, atMs);
    if (account === undefined) return;
    const name = COUNTED.refusal(operation, status);
    add(account.counts, name);
    account.last.set(name, atMs);
  }

  #calledAccount(accountId: string, atMs: number): AccountCounts | undefined {
    const account = this.ensureAccount(accountId);
    account?.last.set("call", atMs);
    return account;
  }

  /** Undefined: there are too many. */
  ensureAccount(accountId: string): AccountCounts | undefined {
    const known = this.accounts.get(accountId);
    if (known !== undefined) return known;
    if (this.accounts.size >= this.#limits.maxRemembered) return undefined;
    const account: AccountCounts = { counts: new Map(), last: new Map(), games: new Map(), wordScenes: 0 };
    this.accounts.set(accountId, account);
    return account;
  }

  /** Undefined: there are too many, of this account or of all. */
  ensureGame({ gameId, accountId }: GameOfAccount): GameCounts | undefined {
    const games = this.ensureAccount(accountId)?.games;
    const known = games?.get(gameId);
    if (games === undefined || known !== undefined) return known;
    // Which ones have statistics, only Redis knows: those that come first now may be others.
    if (games.size >= this.#limits.maxRemembered - this.#gameCount) return undefined;
    const game: GameCounts = { counts: new Map(), last: new Map(), words: new Map(), scenes: [] };
    games.set(gameId, game);
    this.#gameCount += 1;
    return game;
  }
}

/** Adds counts that could not be sent to those that will be. */
export function addCounts(to: Counts, { counts, last }: Counts): void {
  for (const [name, count] of counts) add(to.counts, name, count);
  for (const [name, ms] of last) to.last.set(name, Math.max(ms, to.last.get(name) ?? 0));
}

function add(counts: Map<string, number>, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
