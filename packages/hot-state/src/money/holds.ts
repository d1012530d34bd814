import type { MatchFacts } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";
import { requireInteger, requirePlainName, requireWalletId } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { encodeName, walletKeys, walletOfMatch } from "../keys.ts";
import { defineScript } from "../script.ts";
import { hourOf } from "./campaign-games.ts";

/** Names a hold and the keys that it touches. */
export interface HoldReference {
  matchId: string;
  walletId: string;
  campaignId: string;
  gameId: string;
  sessionKey: string;
  priceMillicents: Millicents;
  developerAccountId: string;
  /** Names the hour that the match is counted in; null where only a lapsed hold is to be ended. */
  matchedAtMs: number | null;
}

export interface LapsedHold extends HoldReference {
  lapsesAtMs: number;
}

/** `cancelled`: nobody saw the response, so the caps are restored too. `lapsed`: its time is over. */
export type ReleaseReason = "cancelled" | "lapsed";

export const RELEASE_CODES = ["released", "not_open", "not_due", "unknown_wallet"] as const;
export type ReleaseResult = (typeof RELEASE_CODES)[number];

/** Campaign and game of a match: part of the members of `holds`. */
export function scopeOf(campaignId: string, gameId: string): string {
  return `${campaignId}|${encodeName(gameId)}`;
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

/** Throws RangeError for a hold that must not reach a script. */
export function checkHold(hold: HoldReference): void {
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

export function createRelease(redis: RedisConnection) {
  const script = defineScript(redis, "release", 10);
  return async (hold: HoldReference, reason: ReleaseReason): Promise<ReleaseResult> => {
    checkHold(hold);
    const reply = await script(
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
    );
    return reply.code(0, RELEASE_CODES);
  };
}
