import type { Candidate } from "@diegetic/ad-rules";
import type { MatchFacts } from "@diegetic/contracts";
import {
  type AdmitRequest,
  type AdmitResult,
  type EarlierAds,
  holdOf,
  isCapLost,
  isCapStale,
  lacksMoney,
  type ReserveResult,
  walletOfMatch,
} from "@diegetic/hot-state";
import { rememberRefusal } from "../refusals/remember-refusal.ts";
import type { MatchDependencies } from "./dependencies.ts";
import type { LoadedRequest } from "./load.ts";
import type { HeldMatch } from "./match-answer.ts";
import { type MatchState, takeNewMatchId } from "./match-state.ts";
import { type CommandDependencies, commandsOf, type ReservationCommands } from "./reservation-commands.ts";

export interface ReserveDependencies
  extends CommandDependencies,
    Pick<
      MatchDependencies,
      | "shareRefusals"
      | "money"
      | "grants"
      | "sessions"
      | "reserveAndAdmit"
      | "due"
      | "logger"
      | "countReservation"
    > {}

export type ReservationOutcome =
  | ({ outcome: "held" } & HeldMatch)
  /** The player session has no seat left; nothing is held. */
  | { outcome: "session_full" }
  | { outcome: "refused" }
  /** Redis has a newer version of the campaign: catch up and decide again. */
  | { outcome: "outdated" };

/**
 * Tries to reserve one candidate. When Redis fails meanwhile, throws and releases a possible hold in the background.
 */
export async function reserveOne(
  dependencies: ReserveDependencies,
  request: LoadedRequest,
  candidate: Candidate,
  state: MatchState,
): Promise<ReservationOutcome> {
  const { catalog, matchIds, nowMs, shareRefusals } = dependencies;
  const { campaign_id, advertiser_id } = candidate.campaign;
  const advertiserVersion = catalog.advertiserVersion(advertiser_id);
  // All requests of a turn have searched before the first sends its commands (docs/notes/performance-experiments.md).
  await undefined;
  const commands = commandsOf(dependencies, request, candidate, state);
  const reservation = await reserve(dependencies, request, commands, state);
  dependencies.countReservation(reservation.outcome === "held" ? "held" : reservation.reason);
  if (state.admission?.admitted === false) return { outcome: "session_full" };
  if (reservation.outcome === "held") {
    const { creativeId, timesSeen } = reservation;
    return {
      outcome: "held",
      matchId: sealed(matchIds, commands, reservation),
      candidate,
      creativeId,
      timesSeen,
    };
  }
  if (reservation.reason === "stale_version" && state.attempts.startFresh(advertiser_id))
    return { outcome: "outdated" };
  const known = { advertiserVersion, nowMs: nowMs() };
  rememberRefusal(catalog, candidate.campaign, reservation, known);
  if (reservation.reason === "developer_share") {
    shareRefusals.remember(request.placement.account_id, campaign_id, known.nowMs);
  }
  state.lackedMoney ||= lacksMoney(reservation);
  state.refused.push(campaign_id);
  if (reservation.reason === "unknown_wallet") await takeNewMatchId(dependencies, request, state);
  return { outcome: "refused" };
}

/** The match id for the game, with the facts for its impression if they fit. */
function sealed(
  matchIds: MatchDependencies["matchIds"],
  { reserve: { match, holdTtlMs }, packedFacts }: ReservationCommands,
  { creativeId, lapsesAtMs, validFromEpoch }: ReserveResult & { outcome: "held" },
): string {
  if (packedFacts === null) return match.match_id;
  const scope = {
    developerAccountId: match.developer_account_id,
    gameId: match.game_id,
    campaignId: match.campaign_id,
    creativeId,
  };
  return matchIds.seal(
    match.match_id,
    packedFacts,
    { heldAtMs: lapsesAtMs - holdTtlMs, validFromEpoch },
    scope,
  );
}

/**
 * Reserves the money and requests the session seat, neither of which depends on the other. Keeps the hold only when the
 * session has a seat and the creative was chosen by the complete caps of this session, not of an earlier one. A further
 * reservation requests the same seat again: the process may have been suspended since, and the result confirms that its
 * lease is still valid.
 */
async function reserve(
  dependencies: ReserveDependencies,
  request: LoadedRequest,
  commands: ReservationCommands,
  state: MatchState,
): Promise<ReserveResult> {
  const { match } = commands.reserve;
  try {
    const [first, admitted] = await sendAndRegister(dependencies, commands, state);
    state.admission ??= admitted;
    const { admission } = state;
    const { earlier } = admitted;
    const funded =
      admission.admitted && lacksMoney(first)
        ? await withMoreMoney(dependencies, commands, state, { refused: first, admission })
        : first;
    const valid = isValidReservation(funded, admission, earlier, commands.admit.idleMs)
      ? funded
      : await reserveAgain(dependencies, request, commands, state, { first: funded, admission, earlier });
    if (valid === undefined) {
      return { outcome: "refused", reason: "creative_cap", capSinceMs: funded.capSinceMs, lasts: null };
    }
    const isUsedUp = valid.outcome === "refused" && valid.reason === "creative_cap";
    if (isUsedUp) state.attempts.refund(match.advertiser_id);
    return valid;
  } catch (error) {
    releaseLater(dependencies, match);
    throw error;
  }
}

/** Also registers when billing must look for the hold: usually known already, so without a command. */
function sendAndRegister(
  dependencies: ReserveDependencies,
  commands: ReservationCommands,
  state: MatchState,
): Promise<[ReserveResult, AdmitResult]> {
  const sent = send(dependencies, commands, state);
  const { match, holdTtlMs } = commands.reserve;
  const registered = dependencies.due.register(
    "holds",
    walletOfMatch(match),
    dependencies.nowMs() + holdTtlMs,
  );
  if (registered === undefined) return sent;
  return Promise.allSettled([sent, registered]).then(() => registered.then(() => sent));
}

function send(
  { reserveAndAdmit }: ReserveDependencies,
  { reserve, admit }: Pick<ReservationCommands, "reserve" | "admit">,
  { attempts }: MatchState,
): Promise<[ReserveResult, AdmitResult]> {
  attempts.use(reserve.match.advertiser_id);
  return reserveAndAdmit(reserve, admit);
}

/**
 * A slice without money for a hold gets some from the advertiser's own wallet, which otherwise decides why there is none. That
 * wallet itself takes back what the slices have not spent.
 */
async function withMoreMoney(
  dependencies: ReserveDependencies,
  { reserve, admit }: ReservationCommands,
  state: MatchState,
  { refused, admission }: { refused: ReserveResult & { outcome: "refused" }; admission: AdmitResult },
): Promise<ReserveResult> {
  const { grants, catalog } = dependencies;
  const { match } = reserve;
  const { wallet_slice: slice = 0, advertiser_id: advertiserId, campaign_id: campaignId } = match;
  const campaign = { advertiserId, campaignId, slices: catalog.walletSlices(advertiserId) };
  if (campaign.slices === 1) return refused;
  if (!state.attempts.mayRepeat(advertiserId)) return withoutLasts(match, refused);
  const again = { reserve: { ...reserve, sessionStartedMs: admission.startedMs }, admit };
  if (slice === 0) {
    await grants.collectFor(campaign, refused.reason);
    return (await send(dependencies, again, state))[0];
  }
  const refusal = await grants.extend(campaign, slice, {
    priceMillicents: match.price_millicents,
    isHeld: false,
  });
  if (refusal === "unknown_wallet") return { ...refused, reason: refusal, lasts: null };
  if (refusal === "contended") return withoutLasts(match, refused);
  if (refusal !== null) return { ...refused, reason: refusal.reason, lasts: refusal.lasts };
  return withoutLasts(match, (await send(dependencies, again, state))[0]);
}

/** A slice does not know what ends its lack of money. */
function withoutLasts({ wallet_slice: slice = 0 }: MatchFacts, reservation: ReserveResult): ReserveResult {
  return slice > 0 && lacksMoney(reservation) ? { ...reservation, lasts: null } : reservation;
}

/**
 * Whether a reservation stands as Redis made it: a hold has a session seat, and caps that decided count all ads of this
 * player session and none of an earlier one.
 */
function isValidReservation(
  reservation: ReserveResult,
  { admitted, startedMs }: AdmitResult,
  earlier: EarlierAds | null,
  idleMs: number,
): boolean {
  const isHeld = reservation.outcome === "held";
  if (!admitted) return !isHeld;
  if (!isHeld && reservation.reason !== "creative_cap") return true;
  if (isCapStale(reservation.capSinceMs, startedMs, idleMs)) return false;
  return !isHeld || !isCapLost(reservation.capSinceMs, earlier, idleMs);
}

/**
 * For a reservation that is not valid: cancels a hold without a seat; reserves again, with the ads of this session, where
 * the caps were those of another. Undefined: no attempt is left for that, or the hold was charged meanwhile; the match id
 * then names no hold.
 */
async function reserveAgain(
  dependencies: ReserveDependencies,
  request: LoadedRequest,
  { reserve, admit }: ReservationCommands,
  state: MatchState,
  { first, admission, earlier }: { first: ReserveResult; admission: AdmitResult; earlier: EarlierAds | null },
): Promise<ReserveResult | undefined> {
  const { money } = dependencies;
  const { attempts } = state;
  const { match } = reserve;
  // Nothing is reserved again without a seat, and nothing may take one that has just become free.
  if (!admission.admitted) {
    await money.release(holdOf(match), "cancelled");
    return first;
  }
  const counted = await withoutLapsed(dependencies, admit, { match, earlier });
  if (isValidReservation(first, admission, counted, admit.idleMs)) return first;
  if (first.outcome === "held") {
    const ended = await money.release(holdOf(match), "cancelled");
    if (ended === "unknown_wallet") {
      return { outcome: "refused", reason: ended, capSinceMs: first.capSinceMs, lasts: null };
    }
    if (ended !== "released") {
      await takeNewMatchId(dependencies, request, state);
      return undefined;
    }
  }
  if (!attempts.mayRepeat(match.advertiser_id)) return undefined;
  attempts.use(match.advertiser_id);
  const again = { ...reserve, sessionStartedMs: admission.startedMs, earlier: counted };
  return withoutLasts(match, await money.reserve(again));
}

/**
 * The session's earlier ads, after returning the seats of lapsed matches: billing has not returned them yet. The seats are read
 * again last, because billing may return one before it is looked for.
 */
async function withoutLapsed(
  { money, sessions }: ReserveDependencies,
  seat: AdmitRequest,
  { match, earlier }: { match: MatchFacts; earlier: EarlierAds | null },
): Promise<EarlierAds | null> {
  if (earlier === null) return null;
  const lapsed = await money.findSessionReleases(walletOfMatch(match), earlier.matchIds);
  await Promise.all(lapsed.map((matchId) => sessions.returnSeat(seat, matchId)));
  return (await sessions.admit(seat)).earlier;
}

/** Redis has failed, so this may fail too; then the hold lapses. */
function releaseLater(
  { money, logger }: Pick<ReserveDependencies, "money" | "logger">,
  match: MatchFacts,
): void {
  money
    .release(holdOf(match), "cancelled")
    .catch((error: unknown) => logger.debug({ err: error }, "hold may remain until it lapses"));
}
