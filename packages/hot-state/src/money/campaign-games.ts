import type { Millicents } from "@diegetic/money";
import { requirePlainName } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { decodeName, encodeName, walletKeys } from "../keys.ts";
import { parseInteger, UnexpectedReply } from "../reply.ts";
import { walletIdsOf } from "./wallet-ids.ts";

const MS_PER_HOUR = 3_600_000;
const COUNTED_HOURS = 24;
/** As in lua/include/shares.lua. */
const COUNTED_MS = 26 * MS_PER_HOUR;
/** Prefix of the fields of games in `shares`. */
const GAME_PREFIX = "g:";
/** Prefixes of the fields of impressions, and of developers' accounts, in the counts of an hour. */
const IMPRESSION_PREFIX = "s:";
const ACCOUNT_PREFIX = "a:";

/** Open holds of one developer's account on a campaign. */
export interface DeveloperHolds {
  openHolds: number;
  heldMillicents: Millicents;
}

/** Counts in Redis of a campaign by game, in the hour of the query and the 23 whole hours (UTC) before it. */
export interface CampaignGames {
  /** By game id; null: games beyond the first of an hour, about a thousand. */
  matches: Map<string | null, number>;
  /** Committed ones, by the clock of the match tier. */
  impressions: Map<string | null, number>;
  /** At the moment. */
  heldMillicents: Map<string, Millicents>;
  /** How many holds `heldMillicents` adds up. */
  openHolds: number;
}

/** Whole hours since 1970, UTC. */
export function hourOf(ms: number): number {
  return Math.floor(ms / MS_PER_HOUR);
}

/** Reads the counts by game of the scripts (lua/include/shares.lua). */
export function createReadCampaignGames(redis: RedisConnection) {
  return async (advertiserId: string, campaignId: string, nowMs: number): Promise<CampaignGames> => {
    requirePlainName("advertiserId", advertiserId);
    requirePlainName("campaignId", campaignId);
    const firstHour = hourOf(nowMs) - COUNTED_HOURS + 1;
    const hours = Array.from({ length: COUNTED_HOURS }, (_, i) => firstHour + i);
    const walletIds = await walletIdsOf(redis, advertiserId);
    const [shares, counts] = await Promise.all([
      Promise.all(walletIds.map((id) => redis.hgetall(walletKeys.shares(id, campaignId)))),
      Promise.all(
        walletIds.flatMap((id) =>
          hours.map((hour) => redis.hgetall(walletKeys.hourlyCounts(id, campaignId, hour))),
        ),
      ),
    ]);
    const games: CampaignGames = {
      matches: new Map(),
      impressions: new Map(),
      heldMillicents: new Map(),
      openHolds: 0,
    };
    for (const [field, text] of counts.flatMap((count) => Object.entries(count))) {
      if (field.startsWith(ACCOUNT_PREFIX)) continue;
      const isImpression = field.startsWith(IMPRESSION_PREFIX);
      const game = isImpression ? field.slice(IMPRESSION_PREFIX.length) : field;
      const gameId = game === "" ? null : decodeName(game);
      const sums = isImpression ? games.impressions : games.matches;
      sums.set(gameId, (sums.get(gameId) ?? 0) + integerOf(text));
    }
    for (const [field, text] of shares.flatMap((share) => Object.entries(share))) {
      if (field.startsWith(GAME_PREFIX)) {
        const gameId = decodeName(field.slice(GAME_PREFIX.length));
        games.heldMillicents.set(gameId, (games.heldMillicents.get(gameId) ?? 0) + integerOf(text));
      } else {
        games.openHolds += integerOf(text.split("|")[0] ?? "");
      }
    }
    return games;
  };
}

/** Reads what the scripts count of a developer's account (lua/include/shares.lua). */
export function createReadDeveloperHolds(redis: RedisConnection) {
  return async (advertiserId: string, campaignId: string, accountId: string): Promise<DeveloperHolds> => {
    requirePlainName("advertiserId", advertiserId);
    requirePlainName("campaignId", campaignId);
    const sum: DeveloperHolds = { openHolds: 0, heldMillicents: 0 };
    for (const id of await walletIdsOf(redis, advertiserId)) {
      const text = await redis.hget(walletKeys.shares(id, campaignId), accountId);
      const [openHolds = "", heldMillicents = ""] = (text ?? "0|0").split("|");
      sum.openHolds += integerOf(openHolds);
      sum.heldMillicents += integerOf(heldMillicents);
    }
    return sum;
  };
}

/** What happened with a campaign in a game in the hour that begins at `hourMs`. */
export interface CampaignGameCounts {
  campaignId: string;
  gameId: string;
  hourMs: number;
  matches: number;
  impressions: number;
}

/** Adds matches and impressions of the last day that no script has counted, such as those of a demo's history. */
export async function addCampaignGameCounts(
  redis: RedisConnection,
  advertiserId: string,
  counts: readonly CampaignGameCounts[],
): Promise<void> {
  requirePlainName("advertiserId", advertiserId);
  for (const { campaignId, gameId, hourMs, matches, impressions } of counts) {
    requirePlainName("campaignId", campaignId);
    const key = walletKeys.hourlyCounts(advertiserId, campaignId, hourOf(hourMs));
    const game = encodeName(gameId);
    await Promise.all([
      redis.hincrby(key, game, matches),
      redis.hincrby(key, `${IMPRESSION_PREFIX}${game}`, impressions),
      redis.pexpireat(key, hourMs + COUNTED_MS),
    ]);
  }
}

function integerOf(text: string): number {
  const value = parseInteger(text);
  if (value === null) throw new UnexpectedReply("hgetall", text);
  return value;
}
