import type { Candidate } from "@diegetic/ad-rules";
import { type MatchFacts, newId } from "@diegetic/contracts";
import {
  type AdmitRequest,
  type AdmitResult,
  type EarlierAds,
  holdOf,
  isCapLost,
  isCapStale,
  lacksMoney,
  type ReserveRequest,
  type ReserveResult,
  sliceOfSession,
  walletOfMatch,
} from "@diegetic/hot-state";
import { priceMillicents } from "@diegetic/money";
import { rememberRefusal } from "../refusals/remember-refusal.ts";
import { Attempts } from "./attempts.ts";
import type { MatchDependencies } from "./dependencies.ts";
import type { LoadedRequest } from "./load.ts";

export interface ReserveDependencies
  extends Pick<
    MatchDependencies,
    | "catalog"
    | "shareRefusals"
    | "money"
    | "grants"
    | "sessions"
    | "reserveAndAdmit"
    | "due"
    | "logger"
    | "nowMs"
    | "countReservation"
    | "matchIds"
  > {
  settings: Pick<MatchDependencies["settings"], "holdTtlSeconds">;
}

/** The state of one match request across its reservations. */
export interface MatchState {
  /** Of its reservations and its session seat. Replaced once a wallet may still hold it, or has charged it. */
  matchId: string;
  attempts: Attempts;
  /** A tried campaign lacked money, or one was skipped because it recently did. */
  lackedMoney: boolean;
  /** Campaigns whose reservation was refused. */
  refused: string[];
  /** Of reading the texts of the scene (`Draw`). */
  effort: number;
  /** The match's session seat, from the first reservation. */
  admission?: AdmitResult;
}

/** Of a request that has tried no campaign. */
export function newMatchState(): MatchState {
  return { matchId: newId("mat"), attempts: new Attempts(), lackedMoney: false, refused: [], effort: 0 };
}

export type ReservationOutcome =
  | { outcome: "held"; matchId: string; candidate: Candidate; creativeId: string; timesSeen: number }
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
  const { campaign_id, advertiser_id } = candidate.campaign;
  const advertiserVersion = dependencies.catalog.advertiserVersion(advertiser_id);
  const reserved = await reserve(dependencies, request, candidate, state);
  const { reservation, admission, match, packedFacts, isUsedUp } = reserved;
  dependencies.countReservation(reservation.outcome === "held" ? "held" : reservation.reason);
  if (!admission.admitted) return { outcome: "session_full" };
  if (reservation.outcome === "held") {
    const { creativeId, timesSeen } = reservation;
    const matchId =
      packedFacts === null ? state.matchId : sealed(dependencies, match, packedFacts, reservation);
    return { outcome: "held", matchId, candidate, creativeId, timesSeen };
  }
  if (reservation.reason === "stale_version" && state.attempts.startFresh(advertiser_id))
    return { outcome: "outdated" };
  const known = { advertiserVersion, nowMs: dependencies.nowMs() };
  rememberRefusal(dependencies.catalog, candidate.campaign, reservation, known);
  if (reservation.reason === "developer_share") {
    dependencies.shareRefusals.remember(request.placement.account_id, campaign_id, known.nowMs);
  }
  state.lackedMoney ||= lacksMoney(reservation);
  if (isUsedUp) state.attempts.refund(advertiser_id);
  state.refused.push(campaign_id);
  if (reservation.reason === "unknown_wallet") await takeNewMatchId(dependencies, request, state);
  return { outcome: "refused" };
}

/** A wallet that does not answer for a match may hold it, or have charged it: another campaign's hold needs its own id. */
async function takeNewMatchId(
  dependencies: ReserveDependencies,
  request: LoadedRequest,
  state: MatchState,
): Promise<void> {
  await returnSeat(dependencies, request, state);
  state.matchId = newId("mat");
  delete state.admission;
}

function sealed(
  { matchIds, settings }: ReserveDependencies,
  match: MatchFacts,
  packedFacts: Buffer,
  { creativeId, lapsesAtMs, validFromEpoch }: ReserveResult & { outcome: "held" },
): string {
  const heldAtMs = lapsesAtMs - settings.holdTtlSeconds * 1_000;
  const scope = {
    developerAccountId: match.developer_account_id,
    gameId: match.game_id,
    campaignId: match.campaign_id,
    creativeId,
  };
  return matchIds.seal(match.match_id, packedFacts, { heldAtMs, validFromEpoch }, scope);
}

/** Returns the match's session seat, if it has one. */
export async function returnSeat(
  { sessions }: Pick<MatchDependencies, "sessions">,
  request: LoadedRequest,
  state: MatchState,
): Promise<void> {
  if (state.admission?.admitted) await sessions.returnSeat(request.session, state.matchId);
}

/** `returnSeat` in the background after a failure, also when it is unknown whether the match has a seat. */
export function returnSeatLater(
  { sessions, logger }: Pick<MatchDependencies, "sessions" | "logger">,
  request: LoadedRequest,
  state: MatchState,
): void {
  if (state.attempts.isUnused) return;
  sessions
    .returnSeat(request.session, state.matchId)
    .catch((error: unknown) => logger.debug({ err: error }, "session seat may remain taken"));
}

/** The commands that reserve a candidate. */
interface Commands {
  reserve: ReserveRequest;
  admit: AdmitRequest;
}

interface Reservation {
  reservation: ReserveResult;
  admission: AdmitResult;
  match: MatchFacts;
  /** For the match id; null: they do not fit. */
  packedFacts: Buffer | null;
  /** The session has used up the campaign's creatives. */
  isUsedUp: boolean;
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
  candidate: Candidate,
  state: MatchState,
): Promise<Reservation> {
  // All requests of a turn have searched before the first sends its commands (docs/notes/performance-experiments.md).
  await undefined;
  const match = factsOf(dependencies, request, candidate, state.matchId);
  const packedFacts = dependencies.matchIds.pack(match);
  const commands = commandsOf(dependencies, request, candidate, match, {
    sessionStartedMs: state.admission?.startedMs ?? null,
    isCarried: packedFacts !== null,
  });
  try {
    const [first, admitted] = await sendAndRegister(dependencies, commands, state);
    state.admission ??= admitted;
    const { admission } = state;
    const funded =
      admission.admitted && lacksMoney(first)
        ? await withMoreMoney(dependencies, commands, state, { refused: first, admission })
        : first;
    const known = isValidReservation(funded, admission, admitted.earlier, commands.admit.idleMs)
      ? funded
      : await reserveAgain(dependencies, request, commands, state, {
          first: funded,
          admission,
          earlier: admitted.earlier,
        });
    const isUsedUp = known?.outcome === "refused" && known.reason === "creative_cap";
    const reservation = known ?? {
      outcome: "refused",
      reason: "creative_cap",
      capSinceMs: funded.capSinceMs,
      lasts: null,
    };
    return { reservation, admission, match, packedFacts, isUsedUp };
  } catch (error) {
    releaseLater(dependencies, match);
    throw error;
  }
}

function commandsOf(
  { settings }: ReserveDependencies,
  request: LoadedRequest,
  candidate: Candidate,
  match: MatchFacts,
  { sessionStartedMs, isCarried }: Pick<ReserveRequest, "sessionStartedMs" | "isCarried">,
): Commands {
  const { session, sessionIdleMs, placement, leaseExpiresMs } = request;
  return {
    reserve: {
      match,
      campaignVersion: candidate.campaign.version,
      holdTtlMs: settings.holdTtlSeconds * 1_000,
      sessionStartedMs,
      earlier: null,
      sessionIdleMs,
      isCarried,
      creatives: candidate.creatives.map((creative) => ({
        creativeId: creative.creative_id,
        maxUses: creative.max_uses_per_game,
        rotatesHooks: creative.alt_hooks.length > 0,
      })),
    },
    // No spread: with further fields after it, V8 creates a new hidden class for each object (docs/notes/performance-experiments.md).
    admit: {
      gameId: session.gameId,
      sessionKey: session.sessionKey,
      matchId: match.match_id,
      advertiserId: match.advertiser_id,
      maxAds: placement.max_ads_per_session,
      idleMs: sessionIdleMs,
      leaseExpiresMs,
    },
  };
}

/** Also registers when billing must look for the hold: usually known already, so without a command. */
function sendAndRegister(
  dependencies: ReserveDependencies,
  commands: Commands,
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
  { reserve, admit }: Commands,
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
  { reserve, admit }: Commands,
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
  { reserve, admit }: Commands,
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

function factsOf(
  dependencies: ReserveDependencies,
  request: LoadedRequest,
  candidate: Candidate,
  matchId: string,
): MatchFacts {
  const { campaign, affinityScore, affinityParts } = candidate;
  const slices = dependencies.catalog.walletSlices(campaign.advertiser_id);
  const slice = sliceOfSession(request.session.sessionKey, slices);
  return {
    match_id: matchId,
    advertiser_id: campaign.advertiser_id,
    ...(slice > 0 && { wallet_slice: slice }),
    campaign_id: campaign.campaign_id,
    campaign_version: campaign.version,
    game_id: request.body.game_id,
    developer_account_id: request.placement.account_id,
    user_hash: request.userHash,
    session_key: request.session.sessionKey,
    country_code: request.body.player_geo?.country_code ?? null,
    affinity_score: affinityScore,
    affinities: affinityParts.map(({ affinity_id, contribution }) => ({ affinity_id, contribution })),
    price_millicents: priceMillicents(campaign.cpm_bid_cents),
    revenue_share_basis_points: request.placement.revenue_share_basis_points,
    matched_at_ms: dependencies.nowMs(),
  };
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
