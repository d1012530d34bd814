import { setImmediate as nextTurn } from "node:timers/promises";
import { comparable } from "@diegetic/ad-rules";
import { chunks } from "@diegetic/collections";
import { type GameWordsBody, type MarketWordListBody, SCENE_WORD_TYPES } from "@diegetic/contracts";
import type { Reader } from "@diegetic/database";
import type { TrafficReader, WordType } from "@diegetic/hot-state";
import { ExpiringCache } from "../../core/shared/expiring-cache.ts";
import type { Clock } from "../../core/shared/time.ts";
import { readMarketGames, readOwnGames, readOwnTargets, readTargets } from "./store.ts";

/** Minimum developers, or advertisers, that use a word before it is disclosed to others. */
const MIN_USERS = 3;
/** Maximum games whose words are added up, and words per game. */
const MAX_MARKET_GAMES = 500;
const MAX_WORDS_PER_GAME = 100;
const MAX_OWN_GAMES = 100;
/** Maximum words that campaigns target, of the market and of an account. */
const MAX_TARGETS = 5_000;
/** Words made comparable before other requests have their turn. */
const TARGETS_PER_TURN = 500;
const MAX_UNSENT = 100;
const MAX_WORDS_PER_TYPE = 200;
/** Maximum age of the sums, of the market and of an account's own games. Milliseconds. */
const SUMS_KEPT_MS = 60_000;
/** Accounts whose sums are cached; each has at most a few thousand words. */
const MAX_ACCOUNTS = 200;
/** Accounts whose targeted words are cached. */
const MAX_TARGETING_ACCOUNTS = 50;
/** Games whose words are read concurrently. */
const GAMES_PER_BATCH = 50;

interface WordSum {
  type: WordType;
  value: string;
  games: number;
  scenes: number;
  /** Developers that use it; no more than the minimum for disclosure. */
  accounts: Set<string>;
}

/** Words that campaigns target, by `mood:calm`. */
type Targets = Map<string, GameWordsBody["unsent"][number]>;

/** Words that games send and campaigns target. The market's sums are refreshed about once a minute. */
export class MarketWords {
  readonly #reader: Reader;
  readonly #traffic: Pick<TrafficReader, "words">;
  readonly #clock: Clock;
  /** Of enough developers to be disclosed. */
  readonly #sums: ExpiringCache<Map<string, WordSum>>;
  /** By account. */
  readonly #ownSums: ExpiringCache<Map<string, WordSum>>;
  /** Of enough advertisers to be disclosed. */
  readonly #targets: ExpiringCache<Targets>;
  /** By account. */
  readonly #ownTargets: ExpiringCache<Targets>;

  constructor(parts: { reader: Reader; traffic: Pick<TrafficReader, "words">; clock: Clock }) {
    this.#reader = parts.reader;
    this.#traffic = parts.traffic;
    this.#clock = parts.clock;
    const kept = (maxKeys: number) => ({ keptMs: SUMS_KEPT_MS, maxKeys });
    this.#sums = new ExpiringCache(parts.clock, kept(1));
    this.#ownSums = new ExpiringCache(parts.clock, kept(MAX_ACCOUNTS));
    this.#targets = new ExpiringCache(parts.clock, kept(1));
    this.#ownTargets = new ExpiringCache(parts.clock, kept(MAX_TARGETING_ACCOUNTS));
  }

  /** Words that a game sends, and words that it could send. */
  async ofGame(accountId: string, gameId: string): Promise<Omit<GameWordsBody, "game_id">> {
    const [words, targets, own] = await Promise.all([
      this.#traffic.words(gameId, this.#clock()),
      this.#targets.get("", () => this.#readTargets()),
      this.#ownTargets.get(accountId, () => this.#readOwnTargets(accountId)),
    ]);
    const sentValues = new Set(words.map(({ value }) => comparable(value)));
    const sentWords = new Set(words.map(({ type, value }) => nameOf(type, value)));
    const isTargeted = (name: string) => targets.has(name) || own.has(name);
    const unsent: Targets = new Map();
    for (const [name, target] of [...targets, ...own]) {
      if (unsent.size === MAX_UNSENT) break;
      const isSent = target.type === "tag" ? sentValues.has(target.value) : sentWords.has(name);
      if (!isSent) unsent.set(name, target);
    }
    return {
      sent: words.map(({ type, value, scenes }) => ({
        type,
        value,
        scenes,
        is_targeted: isTargeted(nameOf(type, value)) || isTargeted(nameOf("tag", value)),
      })),
      unsent: [...unsent.values()],
    };
  }

  /** Words that games send: in the market those of several developers, and all words of the caller's own games. */
  async ofMarket(accountId: string, type: WordType | undefined): Promise<MarketWordListBody> {
    const [sums, own] = await Promise.all([
      this.#sums.get("", () => this.#sumUp()),
      this.#ownSums.get(accountId, () => this.#ofOwnGames(accountId)),
    ]);
    // For a word that too few others use, the caller sees only counts of its own games.
    const visible = new Map(own);
    for (const [name, sum] of sums) visible.set(name, sum);
    return (type === undefined ? SCENE_WORD_TYPES : [type]).flatMap((one) =>
      [...visible.values()]
        .filter((sum) => sum.type === one)
        .sort((a, b) => b.scenes - a.scenes || (a.value < b.value ? -1 : 1))
        .slice(0, MAX_WORDS_PER_TYPE)
        .map(({ type, value, games, scenes }) => ({ type, value, games, scenes })),
    );
  }

  async #ofOwnGames(accountId: string): Promise<Map<string, WordSum>> {
    const games = await readOwnGames(this.#reader, accountId, MAX_OWN_GAMES);
    return this.#sumOf(games.map((gameId) => ({ gameId, accountId })));
  }

  async #sumUp(): Promise<Map<string, WordSum>> {
    const sums = await this.#sumOf(await readMarketGames(this.#reader, MAX_MARKET_GAMES));
    return new Map([...sums].filter(([, { accounts }]) => accounts.size >= MIN_USERS));
  }

  async #sumOf(games: readonly { gameId: string; accountId: string }[]): Promise<Map<string, WordSum>> {
    const sums = new Map<string, WordSum>();
    const nowMs = this.#clock();
    const add = async ({ gameId, accountId }: { gameId: string; accountId: string }) => {
      const words = await this.#traffic.words(gameId, nowMs);
      for (const { type, value, scenes } of words.slice(0, MAX_WORDS_PER_GAME)) {
        const name = nameOf(type, value);
        const sum = sums.get(name) ?? { type, value, games: 0, scenes: 0, accounts: new Set() };
        sums.set(name, sum);
        sum.games += 1;
        sum.scenes += scenes;
        if (sum.accounts.size < MIN_USERS) sum.accounts.add(accountId);
      }
    };
    for (const batch of chunks(games, GAMES_PER_BATCH)) await Promise.all(batch.map(add));
    return sums;
  }

  async #readTargets(): Promise<Targets> {
    const advertisers = new Map<string, Set<string>>();
    for (const rows of chunks(await readTargets(this.#reader, MAX_TARGETS), TARGETS_PER_TURN)) {
      for (const { type, value, advertiser_ids } of rows) {
        const name = nameOf(type, value);
        // Values that differ in case or form are one word.
        advertisers.set(name, new Set([...(advertisers.get(name) ?? []), ...advertiser_ids]));
      }
      await nextTurn();
    }
    return targetsOf([...advertisers].flatMap(([name, { size }]) => (size >= MIN_USERS ? name : [])));
  }

  async #readOwnTargets(accountId: string): Promise<Targets> {
    const names: string[] = [];
    for (const rows of chunks(await readOwnTargets(this.#reader, accountId, MAX_TARGETS), TARGETS_PER_TURN)) {
      names.push(...rows.map(({ type, value }) => nameOf(type, value)));
      await nextTurn();
    }
    return targetsOf(names);
  }
}

function targetsOf(names: readonly string[]): Targets {
  return new Map(
    names.map((name) => {
      const [type, value] = partsOf(name);
      return [name, { type, value }];
    }),
  );
}

function nameOf(type: string, value: string): string {
  return `${type}:${comparable(value)}`;
}

function partsOf(name: string): [type: WordType | "tag", value: string] {
  const at = name.indexOf(":");
  const type = name.slice(0, at);
  return [SCENE_WORD_TYPES.find((one) => one === type) ?? "tag", name.slice(at + 1)];
}
