import type { Candidate } from "@diegetic/ad-rules";
import type { MatchFacts } from "@diegetic/contracts";
import { type AdmitRequest, type ReserveRequest, sliceOfSession } from "@diegetic/hot-state";
import { priceMillicents } from "@diegetic/money";
import type { MatchDependencies } from "./dependencies.ts";
import type { LoadedRequest } from "./load.ts";
import type { MatchState } from "./match-state.ts";

/** The commands that reserve a candidate. */
export interface ReservationCommands {
  reserve: ReserveRequest;
  admit: AdmitRequest;
  /** The facts of the match, for its id; null: they do not fit. */
  packedFacts: Buffer | null;
}

export interface CommandDependencies extends Pick<MatchDependencies, "catalog" | "matchIds" | "nowMs"> {
  settings: Pick<MatchDependencies["settings"], "holdTtlSeconds">;
}

export function commandsOf(
  dependencies: CommandDependencies,
  request: LoadedRequest,
  candidate: Candidate,
  state: MatchState,
): ReservationCommands {
  const { session, sessionIdleMs, placement, leaseExpiresMs } = request;
  const match = factsOf(dependencies, request, candidate, state.matchId);
  const packedFacts = dependencies.matchIds.pack(match);
  return {
    reserve: {
      match,
      campaignVersion: candidate.campaign.version,
      holdTtlMs: dependencies.settings.holdTtlSeconds * 1_000,
      sessionStartedMs: state.admission?.startedMs ?? null,
      earlier: null,
      sessionIdleMs,
      isCarried: packedFacts !== null,
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
    packedFacts,
  };
}

function factsOf(
  { catalog, nowMs }: CommandDependencies,
  request: LoadedRequest,
  candidate: Candidate,
  matchId: string,
): MatchFacts {
  const { campaign, affinityScore, affinityParts } = candidate;
  const slices = catalog.walletSlices(campaign.advertiser_id);
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
    matched_at_ms: nowMs(),
  };
}
