import type { ImpressionRecord, MatchFacts } from "@diegetic/contracts";
import { requireInteger, requirePlainName } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { chargedField, isPlainName, MAX_WALLET_SLICES, walletIdOf, walletKeys } from "../keys.ts";
import { ReplyReader } from "../reply.ts";
import { defineLinesScript } from "../script.ts";
import { LeaseExpired } from "../snapshot/lease.ts";
import { hourOf } from "./campaign-games.ts";
import { matchKeys, scopeOf } from "./holds.ts";
import type { ImpressionTimes } from "./impression-times.ts";
import { COMMIT_REFUSALS, type CommitRefusal, type NeededMoney } from "./refusals.ts";
import { walletIds } from "./wallet-ids.ts";

/** A match as its id carries it. */
export interface CarriedMatch {
  facts: MatchFacts;
  /** When it was held, by the clock of Redis. */
  heldAtMs: number;
  /** As `reserve` returned it: the match is void if the wallet's has changed since. */
  validFromEpoch: number;
}

export interface CommitRequest {
  advertiserId: string;
  /** The slice of the advertiser's wallet that has the match. Default: 0, the advertiser's own wallet. */
  slice?: number;
  campaignId: string;
  gameId: string;
  creativeId: string;
  /**
   * Names the request: for 24 hours after the charge a request with the same name returns the first record. May be empty where
   * `matchId` names the match and `isKeyed` is false.
   */
  operationId: string;
  /** Whether a retry may arrive after Redis has lost the operation: then the record names it, for billing. Default: false. */
  isKeyed?: boolean;
  /** Null: the oldest unbilled match of the creative in the game whose hold is open or has lapsed only recently. */
  matchId: string | null;
  /** The facts from the match id: charged from if the wallet no longer has the match. */
  carried?: CarriedMatch | null;
  /** By the clock that matches are counted by. Unix milliseconds. */
  nowMs: number;
  /** When the lease expires under which the request was checked, by the clock of Redis. Undefined: without a lease. */
  leaseExpiresMs?: number;
}

/** What the wallet keeps of an earlier charge: everything in its response. */
export type ReplayedRecord = Pick<ImpressionRecord, "impression_id" | "creative_id" | "recorded_at_ms"> & {
  match: Pick<MatchFacts, "match_id" | "campaign_id" | "game_id" | "price_millicents">;
};

export type CommitResult =
  | { outcome: "charged"; record: ImpressionRecord; replay: false }
  /** It had been charged before. */
  | { outcome: "charged"; record: ReplayedRecord; replay: true }
  /** `lacks`: what a slice lacks money for. */
  | { outcome: "refused"; reason: CommitRefusal; lacks?: NeededMoney };

export function createCommit(redis: RedisConnection, times: ImpressionTimes) {
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

/** Names an operation of a campaign in a game. */
export interface ChargeOperation
  extends Pick<CommitRequest, "advertiserId" | "campaignId" | "gameId" | "operationId"> {
  /** Slices of the wallet. */
  slices: number;
}

export function createSliceOfOperation(redis: RedisConnection) {
  return async (operation: ChargeOperation): Promise<number | null> => {
    const { advertiserId, slices, campaignId, gameId, operationId } = operation;
    const found = await Promise.all(
      walletIds(requirePlainName("advertiserId", advertiserId), slices).map((walletId) =>
        redis.hexists(walletKeys.matches(walletId, campaignId, gameId), `op:${operationId}`),
      ),
    );
    const slice = found.indexOf(1);
    return slice === -1 ? null : slice;
  };
}
