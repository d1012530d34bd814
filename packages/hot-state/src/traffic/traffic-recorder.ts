import { setTimeout as sleep } from "node:timers/promises";
import { chunks } from "@diegetic/collections";
import type { RedisConnection } from "../connection.ts";
import { trafficKeys } from "../keys.ts";
import { defineScript, type ScriptCall } from "../script.ts";
import {
  addCounts,
  type Counts,
  type GameCounts,
  type GameOfAccount,
  GatheredCalls,
  type GatheringLimits,
  type MatchCall,
} from "./gathered-calls.ts";
import { type ServingOperation, TRAFFIC_LIMITS } from "./limits.ts";
import { RecentCalls, type RecentCounts } from "./recent-calls.ts";

export interface TrafficRecorderOptions extends Partial<GatheringLimits> {
  /** How often gathered calls are sent. Default: 1 000. */
  everyMs?: number;
  onError?: (error: Error) => void;
  onSuccess?: () => void;
}

/** The limits are those of one period between two sends. */
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
  #gathered: GatheredCalls;
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
    this.#gathered = new GatheredCalls(0, this.#options);
  }

  /** Calls of all games in the last five minutes. */
  recent(nowMs: number): RecentCounts {
    return this.#recent.counts(nowMs);
  }

  /** An answer to `POST /match`, with an ad or without. */
  match(call: MatchCall): void {
    if (call.noMatchReason === undefined) this.#recent.record("matches", call.atMs);
    this.#at(call.atMs).match(call);
  }

  impression(gameId: string, accountId: string, atMs: number): void {
    this.#recent.record("impressions", atMs);
    this.#at(atMs).impression({ gameId, accountId }, atMs);
  }

  /** A call that was refused or failed after its game was known. */
  gameRefusal(game: GameOfAccount, operation: ServingOperation, status: number, atMs: number): void {
    this.#at(atMs).gameRefusal(game, operation, status, atMs);
  }

  /** Any call of an account that was refused or failed. */
  accountRefusal(accountId: string, operation: ServingOperation, status: number, atMs: number): void {
    this.#at(atMs).accountRefusal(accountId, operation, status, atMs);
  }

  /** Sends the gathered counts. Rejects and keeps them when Redis is unavailable. */
  async flush(): Promise<void> {
    this.#queueGathered();
    const before = this.#part;
    await this.#sendPart(this.#queue.length);
    await before;
  }

  /** Queues the commands that send what was gathered. */
  #queueGathered(nextHour = this.#gathered.hour): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { hour, accounts } = this.#gathered;
    this.#gathered = new GatheredCalls(nextHour, this.#options);
    for (const [accountId, account] of accounts) {
      this.#queue.push(() =>
        this.#sendAccount(hour, accountId, account).catch((error: unknown) => {
          this.#keep(hour, account, (gathered) => gathered.ensureAccount(accountId));
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
            this.#keep(hour, game, (gathered) => gathered.ensureGame({ gameId, accountId }));
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
      for (const gameId of reply.texts()) admitted.add(gameId);
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

  /** Gathered counts belong to one hour; a call of another hour sends them first. */
  #at(atMs: number): GatheredCalls {
    const hour = Math.floor(atMs / HOUR_MS);
    if (hour !== this.#gathered.hour) {
      this.#queueGathered(hour);
      void this.#sendInParts();
    }
    this.#timer ??= this.#beginPeriod();
    return this.#gathered;
  }

  #beginPeriod(): NodeJS.Timeout {
    return setTimeout(() => this.#endPeriod(), this.#options.everyMs).unref();
  }

  /** Goes on for another period while the last one's commands are still being sent. */
  #endPeriod(): void {
    this.#timer = this.#isSending ? this.#beginPeriod() : undefined;
    if (this.#isSending) return;
    this.#queueGathered();
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
  #keep(hour: number, unsent: Counts, keptIn: (gathered: GatheredCalls) => Counts | undefined): void {
    if (hour !== this.#gathered.hour) return;
    const kept = keptIn(this.#at(hour * HOUR_MS));
    if (kept !== undefined) addCounts(kept, unsent);
  }
}

function jsonOf({ counts, last }: Counts) {
  return { counts: Object.fromEntries(counts), last: Object.fromEntries(last) };
}
