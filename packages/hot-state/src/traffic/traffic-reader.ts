import { chunks } from "@diegetic/collections";
import type { RedisConnection } from "../connection.ts";
import { trafficKeys } from "../keys.ts";
import { TRAFFIC_LIMITS, WORD_TYPES, type WordType } from "./limits.ts";
import type { NoMatchScene } from "./scene.ts";

/** Calls of a game within a period. */
export interface TrafficCounts {
  matches: number;
  impressions: number;
  /** By reason. */
  noMatch: Map<string, number>;
  /** By operation and status: `match_400`. */
  refusals: Map<string, number>;
}

export interface GameCalls {
  /** Last calls of each kind, Unix milliseconds; null: none remembered. */
  requestMs: number | null;
  matchMs: number | null;
  impressionMs: number | null;
  /** Calls of the last 24 hours. */
  day: TrafficCounts;
}

export interface TrafficPoint extends TrafficCounts {
  startMs: number;
}

export interface SentWord {
  type: WordType;
  /** In lower case, without surrounding space. */
  value: string;
  scenes: number;
}

export interface AccountCalls {
  lastCallMs: number | null;
  /** By operation and status: `match_400`. */
  refusals: Map<string, { count: number; lastMs: number | null }>;
  /** Its games with statistics, at most `TRAFFIC_LIMITS.maxGames`. */
  games: ReadonlySet<string>;
}

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Reads the counts of match instances. Expired and absent counts are 0. */
export class TrafficReader {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  /** Last calls of a game, and its calls of the last 24 hours including the current one. */
  async game(gameId: string, nowMs: number): Promise<GameCalls> {
    const [last, points] = await Promise.all([
      this.#redis.hgetall(trafficKeys.last(gameId)),
      this.hours(gameId, 24, nowMs),
    ]);
    return {
      requestMs: numberOrNull(last.request),
      matchMs: numberOrNull(last.match),
      impressionMs: numberOrNull(last.impression),
      day: points.reduce(addCounts, noCalls()),
    };
  }

  /** The last hours including the current one, oldest first; at most 48. */
  hours(gameId: string, count: number, nowMs: number): Promise<TrafficPoint[]> {
    return this.#points(count, nowMs, HOUR_MS, (moment) => ({
      key: trafficKeys.hours(gameId, moment.slice(0, 10)),
      group: moment.slice(11, 13),
    }));
  }

  /** The last UTC days including today, oldest first; at most 31. */
  days(gameId: string, count: number, nowMs: number): Promise<TrafficPoint[]> {
    return this.#points(count, nowMs, DAY_MS, (moment) => ({
      key: trafficKeys.days(gameId, moment.slice(0, 7)),
      group: moment.slice(8, 10),
    }));
  }

  /** @param fieldOf where the counts of a period are that begins at this moment (ISO 8601) */
  async #points(
    count: number,
    nowMs: number,
    periodMs: number,
    fieldOf: (moment: string) => { key: string; group: string },
  ): Promise<TrafficPoint[]> {
    const lastMs = Math.floor(nowMs / periodMs) * periodMs;
    const points = Array.from({ length: count }, (_, index) => {
      const startMs = lastMs - (count - 1 - index) * periodMs;
      return { startMs, ...fieldOf(new Date(startMs).toISOString()) };
    });
    const keys = [...new Set(points.map(({ key }) => key))];
    const hashes = await Promise.all(keys.map((key) => this.#redis.hgetall(key)));
    const byKey = new Map(keys.map((key, index) => [key, grouped(hashes[index] ?? {})]));
    return points.map(({ startMs, key, group }) => ({
      startMs,
      ...(byKey.get(key)?.get(group) ?? noCalls()),
    }));
  }

  /** Sampled scenes of a game without an ad, newest first, at most `limit`. */
  async scenes(gameId: string, limit: number = TRAFFIC_LIMITS.maxScenes): Promise<NoMatchScene[]> {
    const count = Math.min(limit, TRAFFIC_LIMITS.maxScenes);
    const texts = await this.#redis.lrange(trafficKeys.scenes(gameId), 0, count - 1);
    return texts.map((text) => JSON.parse(text) as NoMatchScene).sort((a, b) => b.atMs - a.atMs);
  }

  /** Words in a game's scenes of this month and the last one, most frequent first. */
  async words(gameId: string, nowMs: number): Promise<SentWord[]> {
    const month = dayOf(nowMs).slice(0, 7);
    const before = dayOf(Date.parse(`${month}-01T00:00:00Z`) - DAY_MS).slice(0, 7);
    const lists = await Promise.all(
      [month, before].map((one) =>
        this.#redis.zrevrange(trafficKeys.words(gameId, one), 0, TRAFFIC_LIMITS.maxWords - 1, "WITHSCORES"),
      ),
    );
    const scenes = new Map<string, number>();
    for (const list of lists) {
      for (const [word = "", count] of chunks(list, 2)) {
        scenes.set(word, (scenes.get(word) ?? 0) + Number(count));
      }
    }
    return [...scenes]
      .flatMap(([word, count]) => sentWord(word, count))
      .sort((a, b) => b.scenes - a.scenes || (a.value < b.value ? -1 : 1));
  }

  /** The last call of an account, its games with statistics, and its refusals in the last 24 hours including the current one. */
  async account(accountId: string, nowMs: number): Promise<AccountCalls> {
    const oldest = nowMs - 23 * HOUR_MS;
    const days = [...new Set([dayOf(oldest), dayOf(nowMs)])];
    const [games, last, ...hashes] = await Promise.all([
      this.#redis.zrange(trafficKeys.games(accountId), "0", "-1"),
      this.#redis.hgetall(trafficKeys.lastErrors(accountId)),
      ...days.map((day) => this.#redis.hgetall(trafficKeys.errors(accountId, day))),
    ]);
    const refusals: AccountCalls["refusals"] = new Map();
    for (const [index, day] of days.entries()) {
      for (const [field, value] of Object.entries(hashes[index] ?? {})) {
        const [hour = "", name = ""] = splitOnce(field);
        if (Date.parse(`${day}T${hour}:00:00Z`) + HOUR_MS <= oldest) continue;
        const count = (refusals.get(name)?.count ?? 0) + Number(value);
        refusals.set(name, { count, lastMs: numberOrNull(last[name]) });
      }
    }
    return { lastCallMs: numberOrNull(last.call), refusals, games: new Set(games) };
  }
}

function numberOrNull(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

function noCalls(): TrafficCounts {
  return { matches: 0, impressions: 0, noMatch: new Map(), refusals: new Map() };
}

function sentWord(word: string, scenes: number): SentWord[] {
  const [name = "", value = ""] = splitOnce(word);
  const type = WORD_TYPES.find((one) => one === name);
  return type === undefined ? [] : [{ type, value, scenes }];
}

/** Groups the fields of a hash by the part before their first colon. */
function grouped(fields: Record<string, string>): Map<string, TrafficCounts> {
  const groups = new Map<string, TrafficCounts>();
  for (const [field, value] of Object.entries(fields)) {
    const [group = "", name = ""] = splitOnce(field);
    const counts = groups.get(group) ?? noCalls();
    groups.set(group, counts);
    const count = Number(value);
    if (name === "match") counts.matches += count;
    else if (name === "impression") counts.impressions += count;
    else if (name.startsWith("none:")) counts.noMatch.set(name.slice("none:".length), count);
    else counts.refusals.set(name, count);
  }
  return groups;
}

function addCounts(sum: TrafficCounts, more: TrafficCounts): TrafficCounts {
  sum.matches += more.matches;
  sum.impressions += more.impressions;
  for (const [name, count] of more.noMatch) sum.noMatch.set(name, (sum.noMatch.get(name) ?? 0) + count);
  for (const [name, count] of more.refusals) sum.refusals.set(name, (sum.refusals.get(name) ?? 0) + count);
  return sum;
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf(":");
  return [text.slice(0, at), text.slice(at + 1)];
}
