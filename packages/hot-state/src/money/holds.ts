import type { ImpressionRecord, MatchFacts } from "@diegetic/contracts";
import type { RedisConnection } from "../connection.ts";
import {
  chargedField,
  encodeName,
  isPlainName,
  MAX_WALLET_SLICES,
  walletIdOf,
  walletKeys,
  walletOfMatch,
} from "../keys.ts";
import { ReplyReader, type ScriptReply } from "../reply.ts";
import { defineLinesScript, defineScript, type ScriptParameters } from "../script.ts";
import { LeaseExpired } from "../snapshot/lease.ts";
import { hourOf } from "./campaign-games.ts";
import { requireInteger, requirePlainName, requireWalletId } from "./limits.ts";
import {
  COMMIT_REFUSALS,
  type CommitRequest,
  type CommitResult,
  type EarlierAds,
  type HoldReference,
  type MoneyCommands,
  RELEASE_CODES,
  RESERVE_REFUSALS,
  type RefusalLasts,
  type ReleaseReason,
  type ReleaseResult,
  type ReplayedRecord,
  type ReserveRequest,
  type ReserveResult,
} from "./types.ts";
import { walletIds } from "./wallet-ids.ts";

/** Latest time of a `Date`. Unix milliseconds. */
const MAX_DATE_MS = 8_640_000_000_000_000;

/** Maximum age of a match that is charged from its id: charges are kept for this long (lua/include/history.lua). */
const CARRIED_FOR_MS = 24 * 60 * 60 * 1_000;
const DEFAULT_RESEND_MS = 600_000;
const AFFINITY_PREFIX = "aff_";
const MAX_FACTS_CHARACTERS = 16_384;
const FACTS = /^[\w-]*\|(?:[A-Z]{2})?\|\d+\|\d+\|[\d.e+-]+\|\d+\|[\w-]+\|(?:[\w-]+:[\d.e+-]+(?:,|$))*$/;
const MAX_CREATIVES = 100;
const MAX_DURATION_MS = 7 * 24 * 60 * 60 * 1_000;

/** Until when an impression bills its match (docs/behaviour.md#which-match, docs/behaviour.md#late-impressions). */
export interface ImpressionTimes {
  /** Duration of a hold: bounds the search for a match without its id. */
  holdTtlMs: number;
  /** A match is billed by its id until it is this old. */
  lateImpressionMs: number;
  /** Without its id it is billed until this long after its hold lapses. */
  matchWithoutIdMs: number;
  /** How long a retried request may be in flight: extends the lifetime of matches. Default: ten minutes. */
  resendMs?: number;
}

export const DEFAULT_IMPRESSION_TIMES: ImpressionTimes = {
  holdTtlMs: 600_000,
  lateImpressionMs: 86_400_000,
  matchWithoutIdMs: 3_600_000,
};

/** Campaign and game of a match: part of the members of `holds`. */
export function scopeOf(campaignId: string, gameId: string): string {
  return `${campaignId}|${encodeName(gameId)}`;
}

/** The facts of a match as its entry stores them (lua/include/entry.lua). */
function entryFacts(match: MatchFacts): string {
  const parts = match.affinities.map(({ affinity_id: id, contribution }) => {
    if (!id.startsWith(AFFINITY_PREFIX)) throw new RangeError(`${id} is not the id of an affinity`);
    return `${id.slice(AFFINITY_PREFIX.length)}:${contribution}`;
  });
  const { user_hash, country_code, campaign_version, revenue_share_basis_points, affinity_score } = match;
  const own = `${user_hash}|${country_code ?? ""}|${campaign_version}|${revenue_share_basis_points}|${affinity_score}`;
  const facts = `${own}|${match.matched_at_ms}|${match.developer_account_id}|${parts.join(",")}`;
  requireInteger("length of the match's facts", facts.length, 1, MAX_FACTS_CHARACTERS);
  if (!FACTS.test(facts)) throw new RangeError(`the facts of ${match.match_id} cannot be stored: ${facts}`);
  return facts;
}

/** The facts of a match that `release` needs. */
export function holdOf(match: MatchFacts): HoldReference {
  return {
    matchId: match.match_id,
    walletId: walletOfMatch(match),
    campaignId: match.campaign_id,
    gameId: match.game_id,
    sessionKey: match.session_key,
    priceMillicents: match.price_millicents,
    developerAccountId: match.developer_account_id,
    matchedAtMs: match.matched_at_ms,
  };
}

/**
 * Whether caps counted since `capSinceMs` belong to an earlier session than the one that began at `sessionStartedMs`: the rule
 * of `is_cap_stale` in the scripts. If so, the caller cancels its hold, if any, and reserves again with the session's start.
 */
export function isCapStale(
  capSinceMs: number | null,
  sessionStartedMs: number,
  sessionIdleMs: number,
): boolean {
  return capSinceMs !== null && capSinceMs < sessionStartedMs - sessionIdleMs / 2;
}

/**
 * Whether the counts of the session's earlier ads have expired: the rule of `is_cap_lost` in the scripts. If so, the caller
 * cancels its hold and reserves again with the earlier ads.
 */
export function isCapLost(
  capSinceMs: number | null,
  earlier: EarlierAds | null,
  sessionIdleMs: number,
): boolean {
  return capSinceMs !== null && earlier !== null && capSinceMs > earlier.sinceMs + sessionIdleMs / 2;
}

function checkHold(hold: HoldReference): void {
  requirePlainName("matchId", hold.matchId);
  requireWalletId(hold.walletId);
  requirePlainName("campaignId", hold.campaignId);
  requirePlainName("sessionKey", hold.sessionKey);
  requireInteger("priceMillicents", hold.priceMillicents, 1);
  requirePlainName("developerAccountId", hold.developerAccountId);
}

/** The first keys of each script that holds, charges or releases a match. */
export function matchKeys(walletId: string, campaignId: string, gameId: string): string[] {
  return [
    walletKeys.account(walletId),
    walletKeys.campaign(walletId, campaignId),
    walletKeys.holds(walletId),
    walletKeys.pending(walletId, campaignId, gameId),
    walletKeys.matches(walletId, campaignId, gameId),
    walletKeys.history(walletId, campaignId, gameId),
    walletKeys.shares(walletId, campaignId),
  ];
}

function creativesAndCaps({ creatives }: ReserveRequest): (string | number)[] {
  const values: (string | number)[] = [];
  for (const { creativeId, maxUses, rotatesHooks } of creatives) {
    values.push(requirePlainName("creativeId", creativeId), requireInteger("maxUses", maxUses, 0));
    values.push(rotatesHooks ? "1" : "");
  }
  return values;
}

function createReserve(redis: RedisConnection, times: ImpressionTimes): MoneyCommands["reserve"] {
  const script = defineLinesScript(redis, "reserve");
  return async (request) => readReservation(await script(reserveParameters(request, times)));
}

/** Keys and values of `reserve`; throws RangeError for a request that must not reach it. */
export function reserveParameters(request: ReserveRequest, times: ImpressionTimes): ScriptParameters {
  const { lateImpressionMs, matchWithoutIdMs, resendMs = DEFAULT_RESEND_MS } = times;
  // Charges are kept for a day. When impressions may come later, Redis keeps every new match instead.
  const isCarried = request.isCarried === true && lateImpressionMs <= CARRIED_FOR_MS;
  const hold = holdOf(request.match);
  checkHold(hold);
  requireInteger("campaignVersion", request.campaignVersion, 0);
  requireInteger("holdTtlMs", request.holdTtlMs, 1, MAX_DURATION_MS);
  requireInteger("sessionIdleMs", request.sessionIdleMs, 1, MAX_DURATION_MS);
  requireInteger("number of creatives", request.creatives.length, 1, MAX_CREATIVES);
  const keys = matchKeys(hold.walletId, hold.campaignId, hold.gameId).concat([
    walletKeys.cap(hold.walletId, hold.gameId, hold.sessionKey),
    walletKeys.hourlyCounts(hold.walletId, hold.campaignId, hourOf(request.match.matched_at_ms)),
  ]);
  const values: (string | number)[] = [
    hold.matchId,
    scopeOf(hold.campaignId, hold.gameId),
    hold.sessionKey,
    request.campaignVersion,
    hold.priceMillicents,
    request.holdTtlMs,
    request.sessionStartedMs ?? "",
    request.sessionIdleMs,
    entryFacts(request.match),
    request.match.developer_account_id,
    matchWithoutIdMs + resendMs,
    isCarried ? "" : request.holdTtlMs + lateImpressionMs + resendMs,
    request.earlier?.matchIds.length ?? "",
    request.earlier?.sinceMs ?? "",
  ];
  return { keys, values: values.concat(creativesAndCaps(request)) };
}

/** Reads the reply of `reserve`. */
export function readReservation(lines: ScriptReply): ReserveResult {
  const reply = ReplyReader.ofLines("reserve", lines, { held: 6, refused: 4 });
  if (reply.code(0, ["held", "refused"]) === "refused") {
    const reason = reply.code(1, RESERVE_REFUSALS);
    return { outcome: "refused", reason, capSinceMs: reply.optionalInteger(2), lasts: readLasts(reply, 3) };
  }
  return {
    outcome: "held",
    creativeId: reply.text(1),
    timesSeen: reply.integer(2),
    lapsesAtMs: reply.integer(3),
    capSinceMs: reply.integer(4),
    validFromEpoch: reply.integer(5),
  };
}

/** A field of a refusal: '', milliseconds, 'version', or 'version' and the account's version. */
export function readLasts(reply: ReplyReader, index: number): RefusalLasts {
  const version = /^version(?: (\d+))?$/.exec(reply.text(index));
  if (version === null) return reply.optionalInteger(index);
  return version[1] === undefined ? "version" : { accountVersion: Number(version[1]) };
}

function createSliceOfOperation(redis: RedisConnection): MoneyCommands["sliceOfOperation"] {
  return async ({ advertiserId, slices, campaignId, gameId, operationId }) => {
    const found = await Promise.all(
      walletIds(requirePlainName("advertiserId", advertiserId), slices).map((walletId) =>
        redis.hexists(walletKeys.matches(walletId, campaignId, gameId), `op:${operationId}`),
      ),
    );
    const slice = found.indexOf(1);
    return slice === -1 ? null : slice;
  };
}

function createCommit(redis: RedisConnection, times: ImpressionTimes): MoneyCommands["commit"] {
  const script = defineLinesScript(redis, "commit");
  return async (request: CommitRequest): Promise<CommitResult> => {
    const {
      advertiserId,
      slice = 0,
      campaignId,
      gameId,
      creativeId,
      operationId,
      isKeyed,
      matchId,
    } = request;
    const walletId = walletIdOf(advertiserId, slice);
    requirePlainName("advertiserId", advertiserId);
    requirePlainName("campaignId", campaignId);
    if (matchId === null || isKeyed) requirePlainName("operationId", operationId);
    if (matchId === "") throw new RangeError("matchId must be null or not empty");
    // Both come from the game: a text that is not an identifier matches nothing.
    if (!isPlainName(creativeId) || (matchId !== null && !isPlainName(matchId))) {
      return { outcome: "refused", reason: "no_match" };
    }
    const carried = carriedMatch(request);
    const reply = ReplyReader.ofLines(
      "commit",
      await script({
        keys: matchKeys(walletId, campaignId, gameId).concat([
          walletKeys.outbox(walletId),
          walletKeys.hourlyCounts(walletId, campaignId, hourOf(request.nowMs)),
          matchId === null ? walletKeys.account(walletId) : walletKeys.charged(walletId, matchId),
        ]),
        values: [
          operationId,
          matchId ?? "",
          creativeId,
          scopeOf(campaignId, gameId),
          isKeyed ? "1" : "",
          request.leaseExpiresMs ?? "",
          times.lateImpressionMs,
          times.matchWithoutIdMs,
          times.holdTtlMs,
          chargedField(matchId ?? ""),
          advertiserId,
          JSON.stringify(gameId),
          carried === null ? "" : JSON.stringify(carried),
          carried?.price_millicents ?? "",
          request.carried?.heldAtMs ?? "",
          request.carried?.validFromEpoch ?? "",
          requireInteger("slice", slice, 0, MAX_WALLET_SLICES - 1),
        ],
      }),
      { charged: 2, replayed: 4, refused: 4 },
    );
    const outcome = reply.code(0, ["charged", "replayed", "refused"]);
    if (outcome === "refused") {
      const reason = reply.code(1, [...COMMIT_REFUSALS, "lease_expired"]);
      if (reason === "lease_expired") throw new LeaseExpired();
      const priceMillicents = slice === 0 ? null : reply.optionalInteger(2);
      if (priceMillicents === null) return { outcome: "refused", reason };
      return { outcome: "refused", reason, lacks: { priceMillicents, isHeld: reply.text(3) === "1" } };
    }
    if (outcome === "charged") return { outcome, record: readCharge(reply, carried), replay: false };
    return { outcome: "charged", record: readReplay(request, reply), replay: true };
  };
}

/** The facts that the match id carries, without the slice, which the record names itself. Null: the id carries none. */
function carriedMatch({ carried, isKeyed }: CommitRequest): MatchFacts | null {
  if (!carried) return null;
  // Its charge would be kept with the operation, where a lookup by match id does not find it.
  if (isKeyed) throw new RangeError("a request that is named by its operation carries no match");
  if (carried.facts.wallet_slice === undefined) return carried.facts;
  const { wallet_slice: _, ...match } = carried.facts;
  return match;
}

/** The record of a charge. A match that the id carries is not in the reply: the record shares the facts of the request. */
function readCharge(reply: ReplyReader, carried: MatchFacts | null): ImpressionRecord {
  const record = JSON.parse(reply.text(1)) as Omit<ImpressionRecord, "match"> & { match: MatchFacts | null };
  const match = record.match ?? carried;
  if (match === null) throw reply.unexpected();
  record.match = match;
  return record as ImpressionRecord;
}

function readReplay({ campaignId, creativeId, gameId }: CommitRequest, reply: ReplyReader): ReplayedRecord {
  const matchId = reply.text(1);
  return {
    impression_id: matchId.replace(/^mat_/, "imp_"),
    creative_id: creativeId,
    recorded_at_ms: reply.integer(2),
    match: {
      match_id: matchId,
      campaign_id: campaignId,
      game_id: gameId,
      price_millicents: reply.integer(3),
    },
  };
}

function createRelease(redis: RedisConnection): MoneyCommands["release"] {
  const script = defineScript(redis, "release", 10);
  return async (hold: HoldReference, reason: ReleaseReason): Promise<ReleaseResult> => {
    checkHold(hold);
    const reply = new ReplyReader(
      "release",
      await script(
        ...matchKeys(hold.walletId, hold.campaignId, hold.gameId),
        walletKeys.cap(hold.walletId, hold.gameId, hold.sessionKey),
        walletKeys.sessionRelease(hold.walletId),
        hold.matchedAtMs === null
          ? walletKeys.account(hold.walletId)
          : walletKeys.hourlyCounts(hold.walletId, hold.campaignId, hourOf(hold.matchedAtMs)),
        hold.matchId,
        reason,
        scopeOf(hold.campaignId, hold.gameId),
        hold.sessionKey,
        hold.priceMillicents,
        `${encodeName(hold.gameId)}|${hold.sessionKey}`,
        hold.developerAccountId,
      ),
    );
    return reply.code(0, RELEASE_CODES);
  };
}

/** Parses a field of an outbox. Null: too damaged to count as a record; a returned record may still be invalid. */
export function readRecord(
  text: string,
  source?: { walletId: string; field: string },
): ImpressionRecord | null {
  let record: Partial<ImpressionRecord> | null;
  try {
    record = JSON.parse(text) as typeof record;
  } catch {
    return null;
  }
  if (typeof record !== "object" || record === null) return null;
  const { impression_id: id, recorded_at_ms: recordedAtMs, wallet_slice: slice = 0, match } = record;
  const isNamed = typeof id === "string" && id === (source?.field ?? id);
  const isDated = Number.isSafeInteger(recordedAtMs) && Math.abs(Number(recordedAtMs)) <= MAX_DATE_MS;
  if (!isNamed || !isDated || typeof match !== "object" || match === null) return null;
  if (source !== undefined && walletIdOf(match.advertiser_id, slice) !== source.walletId) return null;
  const isPriced = Number.isSafeInteger(match.price_millicents) && typeof match.campaign_id === "string";
  return isPriced ? (record as ImpressionRecord) : null;
}

/** The life of one match: held, then charged or released. */
export function createHoldCommands(redis: RedisConnection, times: ImpressionTimes) {
  requireInteger("holdTtlMs", times.holdTtlMs, 1, MAX_DURATION_MS);
  requireInteger("lateImpressionMs", times.lateImpressionMs, 1, MAX_DURATION_MS);
  requireInteger("matchWithoutIdMs", times.matchWithoutIdMs, 0, MAX_DURATION_MS);
  return {
    reserve: createReserve(redis, times),
    commit: createCommit(redis, times),
    sliceOfOperation: createSliceOfOperation(redis),
    release: createRelease(redis),
  } satisfies Partial<MoneyCommands>;
}
