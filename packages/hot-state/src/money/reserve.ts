import type { MatchFacts } from "@diegetic/contracts";
import { requireInteger, requirePlainName } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { ReplyReader, type ScriptReply } from "../reply.ts";
import { defineLinesScript, type ScriptParameters } from "../script.ts";
import { hourOf } from "./campaign-games.ts";
import type { EarlierAds } from "./caps.ts";
import { checkHold, holdOf, matchKeys, scopeOf } from "./holds.ts";
import { type ImpressionTimes, MAX_DURATION_MS } from "./impression-times.ts";
import { RESERVE_REFUSALS, type RefusalLasts, type ReserveRefusal, readLasts } from "./refusals.ts";

/** Maximum age of a match that is charged from its id: charges are kept for this long (lua/include/history.lua). */
const CARRIED_FOR_MS = 24 * 60 * 60 * 1_000;
const DEFAULT_RESEND_MS = 600_000;
const AFFINITY_PREFIX = "aff_";
const MAX_FACTS_CHARACTERS = 16_384;
const FACTS = /^[\w-]*\|(?:[A-Z]{2})?\|\d+\|\d+\|[\d.e+-]+\|\d+\|[\w-]+\|(?:[\w-]+:[\d.e+-]+(?:,|$))*$/;
const MAX_CREATIVES = 100;

/** A creative that may be served, and its maximum number of appearances in one player session. */
export interface CreativeAllowance {
  creativeId: string;
  maxUses: number;
  /** It may have several lines, so `timesSeen` counts lapsed matches too. Default: false. */
  rotatesHooks?: boolean;
}

export interface ReserveRequest {
  /** Stored with the hold; names the match, the wallet, the session and the price. */
  match: MatchFacts;
  /** The version of the campaign that the caller's decision is based on. */
  campaignVersion: number;
  holdTtlMs: number;
  /**
   * When the current player session began, once `admit` has returned it: resets caps that an earlier session left. Null: the
   * caps count unchanged, and the caller checks `capSinceMs` with `isCapStale`.
   */
  sessionStartedMs: number | null;
  /** The session's earlier ads of the advertiser, once `admit` has returned them: counted if `isCapLost`. Default: not checked. */
  earlier?: EarlierAds | null;
  sessionIdleMs: number;
  /** The match id carries its facts, so the wallet drops them once the match can be billed only by its id. Default: false. */
  isCarried?: boolean;
  /** 1 to 100, in a stable order. */
  creatives: readonly CreativeAllowance[];
}

export type ReserveResult =
  | {
      outcome: "held";
      creativeId: string;
      /** How often the session was served the creative before. */
      timesSeen: number;
      lapsesAtMs: number;
      /** When counting of the applied caps began. */
      capSinceMs: number;
      /** The epoch since which the wallet's matches are valid. */
      validFromEpoch: number;
    }
  | {
      outcome: "refused";
      reason: ReserveRefusal;
      capSinceMs: number | null;
      lasts: RefusalLasts;
    };

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

function creativesAndCaps({ creatives }: ReserveRequest): (string | number)[] {
  const values: (string | number)[] = [];
  for (const { creativeId, maxUses, rotatesHooks } of creatives) {
    values.push(requirePlainName("creativeId", creativeId), requireInteger("maxUses", maxUses, 0));
    values.push(rotatesHooks ? "1" : "");
  }
  return values;
}

export function createReserve(redis: RedisConnection, times: ImpressionTimes) {
  const script = defineLinesScript(redis, "reserve");
  return async (request: ReserveRequest): Promise<ReserveResult> =>
    readReservation(await script(reserveParameters(request, times)));
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
