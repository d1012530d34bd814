import {
  type CampaignChange,
  type History,
  type ImpressionOperation,
  isRefusedKey,
  isUnknown,
  type MatchCall,
} from "../history.ts";
import type { Market } from "../workload/traders.ts";
import { type Check, CheckBuilder } from "./report.ts";

const NEAR_MS = 5_000;

export interface ServingOptions {
  history: History;
  market: Market;
  holdTtlMs: number;
  sessionIdleMs: number;
}

/** Compares the ads that players got with the settings of advertisers and developers (invariants 5 and 6). */
export function checkServing(options: ServingOptions): Check[] {
  const { history } = options;
  return [
    checkPauses(history),
    ...checkCaps(options),
    checkKeys(history),
    checkDeletions(history),
    checkFullness(history),
    checkOddities(history),
  ];
}

function checkOddities(history: History): Check {
  const check = new CheckBuilder("no answer but those that the contract knows");
  for (const sentence of history.oddities) check.expect(false, () => sentence);
  check.examine(history.matches.length + history.impressions.length);
  return check.end();
}

/**
 * A request that began after a pause was answered never gets the campaign before the next activation request. An
 * activation may still arrive in the meantime.
 */
function checkPauses(history: History): Check {
  const check = new CheckBuilder("a paused campaign is not served after the pause was answered");
  const served = history.matches.filter(({ match }) => match !== null);
  for (const pause of history.changes) {
    if (pause.kind !== "pause" || pause.status !== 200) continue;
    const untilMs = endOfPause(history.changes, pause);
    for (const { match, startedMs, endedMs } of served) {
      if (match?.campaignId !== pause.campaignId) continue;
      if (startedMs <= pause.endedMs || endedMs >= untilMs) continue;
      check.expect(
        false,
        () =>
          `${match.matchId} was requested at ${startedMs} and served at ${endedMs}, paused at ${pause.endedMs}: ` +
          JSON.stringify(history.changes.filter((change) => isNear(change, pause))),
      );
    }
    check.examine(1);
  }
  return check.end();
}

/** A key revoked before the request was sent serves and records nothing. */
function checkKeys(history: History): Check {
  const check = new CheckBuilder("a revoked key is refused after its revocation was answered");
  const revokedMs = new Map(history.revocations.map(({ id, answeredMs }) => [id, answeredMs]));
  const attempts = history.impressions.flatMap((operation) => operation.attempts);
  for (const { keyId, startedMs, status } of [...history.matches, ...attempts]) {
    const isLate = startedMs > (revokedMs.get(keyId) ?? Number.POSITIVE_INFINITY);
    const isEmpty = status === 204 && history.keysOfSuspended.has(keyId);
    const isFine = !isLate || isEmpty || isRefusedKey({ status }) || isUnknown({ status });
    check.expect(isFine, () => `${keyId} was answered ${status} at ${startedMs}`);
  }
  return check.end();
}

function checkDeletions(history: History): Check {
  const check = new CheckBuilder("a deleted creative is not served after its deletion was answered");
  const deletedMs = new Map(history.deletions.map(({ id, answeredMs }) => [id, answeredMs]));
  for (const { match, startedMs } of history.matches) {
    const endMs = deletedMs.get(match?.creativeId ?? "") ?? Number.POSITIVE_INFINITY;
    check.expect(startedMs <= endMs, () => `${match?.matchId} was requested at ${startedMs}, after ${endMs}`);
  }
  return check.end();
}

function checkFullness(history: History): Check {
  const check = new CheckBuilder("nothing new is held while the memory of Redis is full");
  for (const { match, startedMs, endedMs } of history.matches) {
    const isWithin = history.fullSpans.some((span) => startedMs > span.startedMs && endedMs < span.endedMs);
    check.expect(match === null || !isWithin, () => `${match?.matchId} was requested at ${startedMs}`);
  }
  return check.end();
}

/** Related changes of the same campaign; reported with a violation. */
function isNear(change: CampaignChange, pause: CampaignChange): boolean {
  return change.campaignId === pause.campaignId && Math.abs(change.startedMs - pause.startedMs) < NEAR_MS;
}

function endOfPause(changes: readonly CampaignChange[], pause: CampaignChange): number {
  const activations = changes.filter(
    ({ campaignId, kind, endedMs }) =>
      campaignId === pause.campaignId && kind === "activate" && endedMs > pause.startedMs,
  );
  return Math.min(...activations.map(({ startedMs }) => startedMs));
}

function checkCaps({ history, market, holdTtlMs, sessionIdleMs }: ServingOptions): Check[] {
  const ads = new CheckBuilder("no session sees more ads than max_ads_per_session");
  const uses = new CheckBuilder("no session sees a creative more often than max_uses_per_game");
  const chargedInTime = new Set(
    history.impressions.filter((operation) => wasAnswered(operation)).map(({ matchId }) => matchId),
  );
  const campaigns = new Map(market.campaigns.map((campaign) => [campaign.campaignId, campaign]));
  for (const session of sessionsOf(history, sessionIdleMs)) {
    const game = market.games.find(({ gameId }) => gameId === session[0]?.gameId);
    const served = session.filter(({ match }) => match !== null);
    for (const { endedMs: atMs } of served) {
      const counted = served.filter((call) => countsAt(history, call, atMs, holdTtlMs, chargedInTime));
      ads.expect(
        counted.length <= (game?.maxAdsPerSession ?? 0),
        () => `${counted.length} ads: ${counted.map(({ match }) => match?.matchId).join(", ")}`,
      );
      const byCreative = new Map<string, MatchCall[]>();
      for (const call of counted) {
        const { advertiser } = campaigns.get(call.match?.campaignId ?? "") ?? {};
        if (isDivided(history, advertiser?.advertiserId, call, atMs)) continue;
        const id = call.match?.creativeId ?? "";
        byCreative.set(id, [...(byCreative.get(id) ?? []), call]);
      }
      for (const [creativeId, calls] of byCreative) {
        const most = campaigns.get(calls[0]?.match?.campaignId ?? "")?.maxUsesPerGame ?? 0;
        uses.expect(
          calls.length <= most,
          () => `${creativeId} ${calls.length} times: ${calls.map(({ match }) => match?.matchId).join(", ")}`,
        );
      }
    }
  }
  return [ads.end(), uses.end()];
}

/** Whether the session may have gone on in another slice of the advertiser's wallet since a match. */
function isDivided(
  { divisions }: History,
  advertiserId: string | undefined,
  { startedMs }: MatchCall,
  atMs: number,
): boolean {
  return divisions.some(
    (one) => one.advertiserId === advertiserId && one.startedMs <= atMs && one.endedMs >= startedMs,
  );
}

/** Whether a match certainly counted against the caps at a time: its hold was open, or had become an impression in time. */
function countsAt(
  history: History,
  { startedMs, endedMs, match }: MatchCall,
  atMs: number,
  holdTtlMs: number,
  chargedInTime: ReadonlySet<string | null>,
): boolean {
  if (match === null || endedMs > atMs) return false;
  if (history.sessionBreaksMs.some((breakMs) => breakMs >= startedMs - 1_000 && breakMs <= atMs))
    return false;
  if (startedMs + holdTtlMs > atMs) return true;
  if (!chargedInTime.has(match.matchId)) return false;
  const answeredMs = history.impressions
    .filter((operation) => operation.matchId === match.matchId)
    .flatMap(({ attempts }) => attempts.filter(({ status }) => status === 201).map(({ endedMs }) => endedMs));
  return Math.min(...answeredMs) < startedMs + holdTtlMs;
}

function wasAnswered({ matchId, answers }: ImpressionOperation): boolean {
  return matchId !== null && answers.length > 0;
}

/**
 * The requests of one player in one game that certainly belong to one session: all with the same session_id; without
 * one, as long as each follows within the idle time.
 */
function sessionsOf(history: History, sessionIdleMs: number): MatchCall[][] {
  const players = new Map<string, MatchCall[]>();
  for (const call of history.matches) {
    const player = JSON.stringify([call.gameId, call.userId, call.sessionId]);
    players.set(player, [...(players.get(player) ?? []), call]);
  }
  return [...players.values()].flatMap((calls) => {
    const inOrder = calls.sort((a, b) => a.endedMs - b.endedMs);
    if (inOrder[0]?.sessionId != null) return [inOrder];
    const sessions: MatchCall[][] = [];
    let lastSureMs = Number.NEGATIVE_INFINITY;
    for (const call of inOrder) {
      if (call.endedMs - lastSureMs < sessionIdleMs) sessions.at(-1)?.push(call);
      else sessions.push([call]);
      if (call.status === 200 || call.status === 204) lastSureMs = Math.max(lastSureMs, call.startedMs);
    }
    return sessions;
  });
}
