import { requireInteger, requirePlainName } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { gameKeys } from "../keys.ts";
import type { EarlierAds } from "../money/caps.ts";
import { ReplyReader, type ScriptReply } from "../reply.ts";
import { defineLinesScript, type ScriptParameters } from "../script.ts";
import { LeaseExpired } from "../snapshot/lease.ts";

const TAG_CHARACTERS = 8;
export const ADMIT_KEYS = 1;
export const ADMIT_VALUES = 5;

export interface SessionReference {
  gameId: string;
  sessionKey: string;
}

export interface AdmitRequest extends SessionReference {
  matchId: string;
  /** Of the match. A match that tries another advertiser is admitted again. */
  advertiserId: string;
  maxAds: number;
  /** The session ends after this long without a request. */
  idleMs: number;
  /** When the lease expires under which the match was decided, by the clock of Redis. Undefined: without a lease. */
  leaseExpiresMs?: number;
}

export interface AdmitResult {
  admitted: boolean;
  /** When the session began, by the clock of Redis. */
  startedMs: number;
  /** Ads of the session, including this one if it was admitted. */
  count: number;
  earlier: EarlierAds | null;
}

/** Names an advertiser within a player session: random characters of its id. Collisions make the session see fewer ads. */
export function tagOf(advertiserId: string): string {
  return requirePlainName("advertiserId", advertiserId).slice(-TAG_CHARACTERS).padStart(TAG_CHARACTERS, "_");
}

/** The seats of player sessions, across advertisers. Every call may be repeated after a lost reply. */
export interface GameSessions {
  /**
   * Takes a seat for a match unless `maxAds` are taken; prolongs the session either way. Idempotent by match id. Rejects with
   * LeaseExpired, having changed nothing.
   */
  admit(request: AdmitRequest): Promise<AdmitResult>;
  /** Prolongs the session for a request that takes no seat. Returns the number of ads of the session. */
  touch(session: SessionReference, idleMs: number): Promise<number>;
  /** Returns a match's seat; does nothing if it has none. */
  returnSeat(session: SessionReference, matchId: string): Promise<void>;
}

/** The advertiser's ads among a session's seats, as `admit` stores them. */
export function earlierAds(
  seats: Readonly<Record<string, string>>,
  tag: string,
  startedMs: number,
): EarlierAds | null {
  const ads = Object.entries(seats).flatMap(([matchId, seat]) =>
    seat.startsWith(tag) ? { matchId, admittedMs: startedMs + Number(seat.slice(tag.length)) } : [],
  );
  if (ads.length === 0) return null;
  return {
    matchIds: ads.map(({ matchId }) => matchId),
    sinceMs: Math.min(...ads.map(({ admittedMs }) => admittedMs)),
  };
}

function sessionKeyOf({ gameId, sessionKey }: SessionReference): string {
  return gameKeys.session(gameId, requirePlainName("sessionKey", sessionKey));
}

/** Keys and values of `admit`. */
export function admitParameters(request: AdmitRequest): ScriptParameters {
  const values = [
    requirePlainName("matchId", request.matchId),
    requireInteger("maxAds", request.maxAds, 0),
    requireInteger("idleMs", request.idleMs, 1),
    request.leaseExpiresMs ?? "",
    tagOf(request.advertiserId),
  ];
  return { keys: [sessionKeyOf(request)], values };
}

/** Reads the reply of `admit`; throws LeaseExpired. */
export function readAdmission(lines: ScriptReply): AdmitResult {
  const reply = ReplyReader.ofLines("admit", lines, { admitted: 5, full: 5, expired: 5 });
  const code = reply.code(0, ["admitted", "full", "expired"]);
  if (code === "expired") throw new LeaseExpired();
  return {
    admitted: code === "admitted",
    startedMs: reply.integer(1),
    count: reply.integer(2),
    earlier: reply.text(3) === "" ? null : { matchIds: reply.text(4).split(","), sinceMs: reply.integer(3) },
  };
}

export function createGameSessions(redis: RedisConnection): GameSessions {
  const admit = defineLinesScript(redis, "admit");
  return {
    async admit(request) {
      return readAdmission(await admit(admitParameters(request)));
    },
    async touch(session, idleMs) {
      const key = sessionKeyOf(session);
      const [, fields] = await Promise.all([
        redis.pexpire(key, requireInteger("idleMs", idleMs, 1)),
        redis.hlen(key),
      ]);
      // The field `started` is not an ad.
      return Math.max(0, fields - 1);
    },
    async returnSeat(session, matchId) {
      await redis.hdel(sessionKeyOf(session), requirePlainName("matchId", matchId));
    },
  };
}
