import { setTimeout as sleep } from "node:timers/promises";
import { chunks } from "@diegetic/collections";
import type { RedisConnection } from "../connection.ts";
import { trafficKeys } from "../keys.ts";
import { ReplyReader } from "../reply.ts";
import { defineScript, type ScriptCall } from "../script.ts";
import { COUNTED, type ServingOperation, TRAFFIC_LIMITS } from "./limits.ts";
import { RecentCalls, type RecentCounts } from "./recent-calls.ts";
import { type SceneContext, sceneText, wordsOf } from "./scene.ts";

export interface TrafficRecorderOptions {
  /** How often gathered calls are sent. Default: 1 000. */
  everyMs?: number;
  /**
   * Maximum games, and accounts, remembered until they are sent; games of one account at most half of what the others leave.
   * Further ones are not counted. Default: 10 000.
   */
  maxRemembered?: number;
  /** Scenes whose words are counted between two sends; of one account at most half of what the others leave. Default: 200. */
  maxWordScenes?: number;
  /** Scenes without an ad kept between two sends, at most one per game. Default: 5. */
  maxScenes?: number;
  onError?: (error: Error) => void;
  onSuccess?: () => void;
}

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

interface Counts {
  counts: Map<string, number>;
  /** Unix milliseconds by kind of call. */
  last: Map<string, number>;
}

interface GameCounts extends Counts {
  words: Map<string, number>;
  scenes: string[];
}

interface AccountCounts extends Counts {
  games: Map<string, GameCounts>;
  /** Scenes whose words were counted. */
  wordScenes: number;
}

const DEFAULTS = { everyMs: 1_000, maxRemembered: 10_000, maxWordScenes: 200, maxScenes: 5 };
const HOUR_MS = 60 * 60 * 1_000;
/** What a period gathered is sent in this many parts, over half of the next period. */
const PARTS = 100;

/**
 * Counts the calls of games, for the developers' statistics. A call costs a few map lookups: everything is gathered in
 * memory, within bounds, and sent about once a second, one command per game. Commands go in small parts, because matches wait
 * for a burst of them. A crash loses the last second; a lost reply may count a command twice. No bill depends on these numbers.
 */
export class TrafficRecorder {
  readonly #admitGames: ScriptCall;
  readonly #recordGame: ScriptCall;
  readonly #recordAccount: ScriptCall;
  readonly #options: TrafficRecorderOptions & typeof DEFAULTS;
  readonly #recent = new RecentCalls();
  /** The hour of all gathered calls, counted since 1970. */
  #hour = 0;
  #accounts = new Map<string, AccountCounts>();
  #gameCount = 0;
  #wordScenes = 0;
  /** Of the scenes that were kept: one each, so that every account has a chance. */
  readonly #sceneAccounts = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** The commands still to send, of gathered calls. */
  #queue: (() => Promise<unknown>)[] = [];
  #isSending = false;
  /** The part whose replies are awaited. */
  #part: Promise<unknown> = Promise.resolve();

  constructor(redis: RedisConnection, options: TrafficRecorderOptions = {}) {
    this.#admitGames = defineScript(redis, "admit_games", 1);
    this.#recordGame = defineScript(redis, "record_traffic", 5);
    this.#recordAccount = defineScript(redis, "record_traffic", 2);
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Calls of all games in the last five minutes. */
  recent(nowMs: number): RecentCounts {
    return this.#recent.counts(nowMs);
  }

  /** An answer to `POST /match`, with an ad or without. */
  match(call: MatchCall): void {
    const { atMs, noMatchReason, context, secrets } = call;
    if (noMatchReason === undefined) this.#recent.record("matches", atMs);
    const account = this.#accountCounts(call.accountId, atMs);
    const game = this.#gameCounts(call, atMs);
    if (account === undefined || game === undefined) return;
    game.last.set("request", atMs);
    if (noMatchReason === undefined) {
      add(game.counts, COUNTED.match);
      game.last.set("match", atMs);
    } else {
      add(game.counts, COUNTED.noMatch(noMatchReason));
      const { accountId, countryCode } = call;
      if (this.#sceneAccounts.size < this.#options.maxScenes && !this.#sceneAccounts.has(accountId)) {
        const text = sceneText({ atMs, reason: noMatchReason, countryCode, context }, secrets);
        if (text !== undefined) {
          this.#sceneAccounts.add(accountId);
          game.scenes.push(text);
        }
      }
    }
    if (account.wordScenes >= this.#options.maxWordScenes - this.#wordScenes) return;
    account.wordScenes += 1;
    this.#wordScenes += 1;
    for (const word of wordsOf(context, secrets)) add(game.words, word);
  }

  impression(gameId: string, accountId: string, atMs: number): void {
    this.#recent.record("impressions", atMs);
    this.#accountCounts(accountId, atMs);
    const game = this.#gameCounts({ gameId, accountId }, atMs);
    if (game === undefined) return;
    add(game.counts, COUNTED.impression);
    game.last.set("impression", atMs);
  }

  /** A call that was refused or failed after its game was known. */
  gameRefusal(game: GameOfAccount, operation: ServingOperation, status: number, atMs: number): void {
    const known = this.#gameCounts(game, atMs);
    if (known === undefined) return;
    add(known.counts, COUNTED.refusal(operation, status));
    known.last.set("request", atMs);
  }

  /** Any call of an account that was refused or failed. */
  accountRefusal(accountId: string, operation: ServingOperation, status: number, atMs: number): void {
    const account = this.#accountCounts(accountId, atMs);
    if (account === undefined) return;
    const name = COUNTED.refusal(operation, status);
    add(account.counts, name);
    account.last.set(name, atMs);
  }

  /** Sends the gathered counts. Rejects and keeps them when Redis is unavailable. */
  async flush(): Promise<void> {
    this.#gather();
    const before = this.#part;
    await this.#sendPart(this.#queue.length);
    await before;
  }

  /** Queues the commands that send what was gathered. */
  #gather(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [hour, accounts] = [this.#hour, this.#accounts];
    this.#accounts = new Map();
    this.#gameCount = 0;
    this.#wordScenes = 0;
    this.#sceneAccounts.clear();
    for (const [accountId, account] of accounts) {
      this.#queue.push(() =>
        this.#sendAccount(hour, accountId, account).catch((error: unknown) => {
          this.#keep(hour, account, (atMs) => this.#accountAt(accountId, atMs));
          throw error;
        }),
      );
      let admitted: Promise<ReadonlySet<string>> | undefined;
      for (const [gameId, game] of account.games) {
        this.#queue.push(async () => {
          try {
            admitted ??= this.#admitted(accountId, [...account.games.keys()]);
            if ((await admitted).has(gameId)) await this.#sendGame(hour, gameId, game);
          } catch (error) {
            this.#keep(hour, game, (atMs) => this.#gameCounts({ gameId, accountId }, atMs));
            throw error;
          }
        });
      }
    }
  }

  /** The games among them that have statistics. */
  async #admitted(accountId: string, gameIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { daysKeptMs, maxGames } = TRAFFIC_LIMITS;
    const admitted = new Set<string>();
    for (const part of chunks(gameIds, maxGames)) {
      const reply = await this.#admitGames(trafficKeys.games(accountId), daysKeptMs, maxGames, ...part);
      for (const gameId of new ReplyReader("admit_games", reply).texts()) admitted.add(gameId);
    }
    return admitted;
  }

  /** Sends the next commands of the queue. Rejects when one of them fails. */
  async #sendPart(count: number): Promise<void> {
    if (count === 0) return;
    const part = Promise.allSettled(this.#queue.splice(0, count).map((send) => send()));
    this.#part = part;
    const failed = (await part).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    this.#options.onSuccess?.();
  }

  #accountCounts(accountId: string, atMs: number): AccountCounts | undefined {
    const account = this.#accountAt(accountId, atMs);
    account?.last.set("call", atMs);
    return account;
  }

  #accountAt(accountId: string, atMs: number): AccountCounts | undefined {
    this.#beginHour(atMs);
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    if (this.#accounts.size >= this.#options.maxRemembered) return undefined;
    const account: AccountCounts = { counts: new Map(), last: new Map(), games: new Map(), wordScenes: 0 };
    this.#accounts.set(accountId, account);
    return account;
  }

  #gameCounts({ gameId, accountId }: GameOfAccount, atMs: number): GameCounts | undefined {
    const games = this.#accountAt(accountId, atMs)?.games;
    const known = games?.get(gameId);
    if (games === undefined || known !== undefined) return known;
    // Which ones have statistics, only Redis knows: those that come first now may be others.
    if (games.size >= this.#options.maxRemembered - this.#gameCount) return undefined;
    const game: GameCounts = { counts: new Map(), last: new Map(), words: new Map(), scenes: [] };
    games.set(gameId, game);
    this.#gameCount += 1;
    return game;
  }

  /** Gathered counts belong to one hour; a call of another hour sends them first. */
  #beginHour(atMs: number): void {
    const hour = Math.floor(atMs / HOUR_MS);
    if (hour !== this.#hour) {
      this.#gather();
      void this.#sendInParts();
      this.#hour = hour;
    }
    this.#timer ??= this.#beginPeriod();
  }

  #beginPeriod(): NodeJS.Timeout {
    return setTimeout(() => this.#endPeriod(), this.#options.everyMs).unref();
  }

  /** Goes on for another period while the last one's commands are still being sent. */
  #endPeriod(): void {
    this.#timer = this.#isSending ? this.#beginPeriod() : undefined;
    if (this.#isSending) return;
    this.#gather();
    void this.#sendInParts();
  }

  async #sendInParts(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    let share = 0;
    while (this.#queue.length > 0) {
      // A change of the hour may add commands meanwhile.
      share = Math.max(share, Math.ceil(this.#queue.length / PARTS));
      await this.#sendPart(share).catch((error: Error) => this.#options.onError?.(error));
      await sleep(this.#options.everyMs / PARTS / 2, undefined, { ref: false });
    }
    this.#isSending = false;
  }

  #sendGame(hour: number, gameId: string, game: GameCounts): Promise<unknown> {
    const moment = new Date(hour * HOUR_MS).toISOString();
    const [day, month] = [moment.slice(0, 10), moment.slice(0, 7)];
    const { maxWords, maxScenes, hoursKeptMs, daysKeptMs } = TRAFFIC_LIMITS;
    return this.#recordGame(
      trafficKeys.last(gameId),
      trafficKeys.hours(gameId, day),
      trafficKeys.days(gameId, month),
      trafficKeys.words(gameId, month),
      trafficKeys.scenes(gameId),
      JSON.stringify({
        hour: moment.slice(11, 13),
        day: day.slice(8),
        ...jsonOf(game),
        words: Object.fromEntries(game.words),
        scenes: game.scenes,
      }),
      hoursKeptMs,
      daysKeptMs,
      maxWords,
      maxScenes,
    );
  }

  #sendAccount(hour: number, accountId: string, account: Counts): Promise<unknown> {
    const moment = new Date(hour * HOUR_MS).toISOString();
    const { hoursKeptMs, daysKeptMs } = TRAFFIC_LIMITS;
    return this.#recordAccount(
      trafficKeys.lastErrors(accountId),
      trafficKeys.errors(accountId, moment.slice(0, 10)),
      JSON.stringify({ hour: moment.slice(11, 13), ...jsonOf(account) }),
      hoursKeptMs,
      daysKeptMs,
    );
  }

  /** Unsent counts are kept until their hour ends; words and scenes are only samples. */
  #keep(hour: number, { counts, last }: Counts, countsAt: (atMs: number) => Counts | undefined): void {
    if (hour !== this.#hour) return;
    const kept = countsAt(hour * HOUR_MS);
    if (kept === undefined) return;
    for (const [name, count] of counts) add(kept.counts, name, count);
    for (const [name, ms] of last) kept.last.set(name, Math.max(ms, kept.last.get(name) ?? 0));
  }
}

function add(counts: Map<string, number>, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function jsonOf({ counts, last }: Counts) {
  return { counts: Object.fromEntries(counts), last: Object.fromEntries(last) };
}
