import { comparable } from "@diegetic/ad-rules";
import { chunks } from "@diegetic/collections";
import { type GameWordsBody, type MarketWordListBody, SCENE_WORD_TYPES } from "@diegetic/contracts";
import type { Reader } from "@diegetic/database";
import type { TrafficReader, WordType } from "@diegetic/hot-state";
import { ExpiringCache } from "../../core/shared/expiring-cache.ts";
import type { Clock } from "../../core/shared/time.ts";
import { readMarketGames, readOwnAdvertiser, readOwnGames, readTargets } from "./store.ts";

/** Minimum developers, or advertisers, that use a word before it is disclosed to others. */
const MIN_USERS = 3;
/** Maximum games whose words are added up, and words per game. */
const MAX_MARKET_GAMES = 500;
const MAX_WORDS_PER_GAME = 100;
const MAX_OWN_GAMES = 100;
const MAX_TARGETS = 100_000;
const MAX_UNSENT = 100;
const MAX_WORDS_PER_TYPE = 200;
/** Maximum age of the sums, of the market and of an account's own games. Milliseconds. */
const SUMS_KEPT_MS = 60_000;
/** Accounts whose sums are cached; each has at most a few thousand words. */
const MAX_ACCOUNTS = 200;
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

/** Advertisers that target a word, by `mood:calm`. */
type Targets = Map<string, Set<string>>;

/** Words that games send and campaigns target. The market's sums are refreshed about once a minute. */
export class MarketWords {
  readonly #reader: Reader;
  readonly #traffic: TrafficReader;
  readonly #clock: Clock;
  readonly #sums: ExpiringCache<Map<string, WordSum>>;
  /** By account. */
  readonly #ownSums: ExpiringCache<Map<string, WordSum>>;
  readonly #targets: ExpiringCache<Targets>;

  constructor(parts: { reader: Reader; traffic: TrafficReader; clock: Clock }) {
    this.#reader = parts.reader;
    this.#traffic = parts.traffic;
    this.#clock = parts.clock;
    const kept = (maxKeys: number) => ({ keptMs: SUMS_KEPT_MS, maxKeys });
    this.#sums = new ExpiringCache(parts.clock, kept(1));
    this.#ownSums = new ExpiringCache(parts.clock, kept(MAX_ACCOUNTS));
    this.#targets = new ExpiringCache(parts.clock, kept(1));
  }

  /** Words that a game sends, and words that it could send. */
  async ofGame(accountId: string, gameId: string): Promise<Omit<GameWordsBody, "game_id">> {
    const [words, targets, own] = await Promise.all([
      this.#traffic.words(gameId, this.#clock()),
      this.#targets.get("", () => this.#readTargets()),
      readOwnAdvertiser(this.#reader, accountId),
    ]);
    const sentValues = new Set(words.map(({ value }) => comparable(value)));
    const sentWords = new Set(words.map(({ type, value }) => nameOf(type, value)));
    const isShown = (advertisers: Set<string> | undefined) =>
      advertisers !== undefined &&
      (advertisers.size >= MIN_USERS || (own !== undefined && advertisers.has(own)));
    const unsent = [...targets].flatMap(([name, advertisers]) => {
      const [type, value] = partsOf(name);
      const isSent = type === "tag" ? sentValues.has(value) : sentWords.has(name);
      return isSent || !isShown(advertisers) ? [] : [{ type, value }];
    });
    return {
      sent: words.map(({ type, value, scenes }) => ({
        type,
        value,
        scenes,
        is_targeted: isShown(targets.get(nameOf(type, value))) || isShown(targets.get(nameOf("tag", value))),
      })),
      unsent: unsent.slice(0, MAX_UNSENT),
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
    for (const [name, sum] of sums) if (sum.accounts.size >= MIN_USERS) visible.set(name, sum);
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
    return this.#sumOf(await readMarketGames(this.#reader, MAX_MARKET_GAMES));
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
    const targets: Targets = new Map();
    for (const { type, value, advertiser_id } of await readTargets(this.#reader, MAX_TARGETS)) {
      const name = nameOf(type, value);
      targets.set(name, (targets.get(name) ?? new Set()).add(advertiser_id));
    }
    return targets;
  }
}

function nameOf(type: string, value: string): string {
  return `${type}:${comparable(value)}`;
}

function partsOf(name: string): [type: WordType | "tag", value: string] {
  const at = name.indexOf(":");
  const type = name.slice(0, at);
  return [SCENE_WORD_TYPES.find((one) => one === type) ?? "tag", name.slice(at + 1)];
}
