import type { CampaignIds } from "@diegetic/ad-rules";
import {
  derivedId,
  type HttpError,
  type ImpressionRecord,
  type ImpressionRequest,
  type ImpressionResponse,
  idempotencyKeyReused,
  impressionRequest,
  lapsedBeyondBalance,
  matchBeyondBudget,
  matchBeyondDailyCap,
  newId,
  noMatch,
  OF_IMPRESSIONS_OF_GAME,
  servingApi,
  unknownCampaign,
  unknownCreative,
  wrongMatch,
} from "@diegetic/contracts";
import type {
  CommitRefusal,
  CommitRequest,
  CommitResult,
  IdempotencyClaims,
  ReplayedRecord,
} from "@diegetic/hot-state";
import { chargedCents } from "@diegetic/money";
import {
  type Answer,
  type Endpoint,
  endpoint,
  jsonSha256,
  type RequestContext,
  unavailable,
} from "@diegetic/service-kit";
import { tracing } from "@diegetic/tracing";
import { placementOfCaller } from "../catalog/placement-of-caller.ts";
import { countFailure } from "../failures.ts";
import type { MatchDependencies } from "../match/dependencies.ts";
import type { OpenedMatchId } from "../match-id/match-ids.ts";
import { type CommitDependencies, commitImpression, NO_MATCH } from "./commit-impression.ts";

export interface ImpressionDependencies
  extends CommitDependencies,
    Pick<MatchDependencies, "settings" | "matchIds" | "traffic" | "leaseExpiresMs" | "catchUp"> {
  claims: IdempotencyClaims;
}

/** `POST /impressions`: load → claim → commit → respond (docs/behaviour.md#impressions). */
export function createImpressionsEndpoint(dependencies: ImpressionDependencies): Endpoint {
  return endpoint(servingApi.operations.recordImpression, (context) =>
    handleImpression(dependencies, context),
  );
}

async function handleImpression(
  dependencies: ImpressionDependencies,
  context: RequestContext,
): Promise<Answer> {
  // No await since the key was looked up, so it was valid under this lease.
  const leaseExpiresMs = dependencies.leaseExpiresMs();
  const body = context.body(impressionRequest);
  const { catalog } = dependencies;
  let campaign = catalog.index.idsOf(body.campaign_id);
  if (campaign === undefined || catalog.placement(body.game_id) === undefined) {
    // Another instance may have matched by a later snapshot, and clients take a 404 as final.
    await dependencies.catchUp();
    campaign = catalog.index.idsOf(body.campaign_id);
  }
  placementOfCaller(catalog, body.game_id, context.accountId);
  tracing?.annotate({ "diegetic.game_id": body.game_id });
  try {
    const counted = context.countAgainst(
      "impressions-game",
      body.game_id,
      dependencies.settings.rateLimitImpressionsPerGame,
      OF_IMPRESSIONS_OF_GAME,
    );
    if (counted !== undefined) await counted;
    if (campaign === undefined) throw unknownCampaign.error();
    return await recordImpression(dependencies, context, body, campaign, leaseExpiresMs);
  } catch (thrown) {
    const game = { gameId: body.game_id, accountId: context.accountId };
    throw countFailure(dependencies, game, "impressions", thrown);
  }
}

async function recordImpression(
  dependencies: ImpressionDependencies,
  context: RequestContext,
  body: ImpressionRequest,
  campaign: CampaignIds,
  leaseExpiresMs: number,
): Promise<Answer> {
  // Awaited also without a claim: then requests continue step by step side by side (docs/notes/performance-experiments.md).
  const claim = await claimOperation(dependencies, context);
  const match = matchOf(dependencies, context, body, campaign);
  const result =
    match === "unverifiable"
      ? NO_MATCH
      : await commitImpression(dependencies, {
          advertiserId: campaign.advertiserId,
          campaignId: body.campaign_id,
          gameId: body.game_id,
          creativeId: body.creative_id,
          leaseExpiresMs,
          ...operationOf(match, claim),
        });
  await claim?.finish(result);
  if (result.outcome === "refused") throw refusal(result.reason, body, campaign);
  if (!result.replay) {
    dependencies.traffic.impression(body.game_id, context.accountId, dependencies.nowMs());
  }
  return { status: 201, body: toResponse(result.record) };
}

/** The match of the request; null: it has no match_id; `unverifiable`: its match_id was not made for this scope. */
function matchOf(
  { matchIds }: ImpressionDependencies,
  { accountId }: RequestContext,
  body: ImpressionRequest,
  { advertiserId }: CampaignIds,
): OpenedMatchId | "unverifiable" | null {
  const { match_id: text, campaign_id: campaignId, creative_id: creativeId, game_id: gameId } = body;
  if (text === undefined) return null;
  const scope = { developerAccountId: accountId, campaignId, creativeId, gameId };
  return matchIds.open(text, scope, advertiserId) ?? "unverifiable";
}

/** The operation to charge at most once: a match, or an idempotency key for which Redis picks a match. */
function operationOf(
  match: OpenedMatchId | null,
  claim: OperationClaim | null,
): Pick<CommitRequest, "operationId" | "isKeyed" | "matchId" | "carried"> {
  if (match !== null) return { operationId: "", ...match };
  if (claim === null) return { operationId: newId("op"), matchId: null };
  const { operationId, matchId } = claim;
  return { operationId, isKeyed: true, matchId };
}

interface OperationClaim {
  /** Derived from account, endpoint, key and body, so that it is stable even if Redis lost data (ADR 12). */
  operationId: string;
  /** The match that an earlier request with this key charged; a retry uses it, even if nothing else knows the match. */
  matchId: string | null;
  finish(result: CommitResult): Promise<void>;
}

/** Null without an `Idempotency-Key`; throws 409 when the key was used with another body. */
async function claimOperation(
  { claims }: ImpressionDependencies,
  context: RequestContext,
): Promise<OperationClaim | null> {
  const key = context.idempotencyKey;
  if (key === null) return null;
  const operation = JSON.stringify([context.accountId, context.operation, key]);
  const bodyHash = context.body(jsonSha256);
  const claim = await claims.claim(operation, bodyHash);
  if (claim.outcome === "conflict") {
    throw idempotencyKeyReused.error();
  }
  return {
    operationId: derivedId("op", `${operation} ${bodyHash}`),
    matchId: claim.matchId,
    finish: (result) => {
      const matchId = result.outcome === "refused" ? null : result.record.match.match_id;
      return claims.finish(operation, bodyHash, matchId);
    },
  };
}

function refusal(reason: CommitRefusal, body: ImpressionRequest, campaign: CampaignIds): HttpError {
  switch (reason) {
    case "no_match":
      // Only open matches know a deleted creative (docs/behaviour.md#unknown-campaigns-and-creatives).
      if (!campaign.creativeIds.includes(body.creative_id)) {
        return unknownCreative.error();
      }
      return (body.match_id === undefined ? noMatch : wrongMatch).error();
    case "balance":
      return lapsedBeyondBalance.error();
    case "budget":
      return matchBeyondBudget.error();
    case "daily_cap":
      return matchBeyondDailyCap.error();
    case "unknown_wallet":
      return unavailable("The advertiser's account is being restored: try again.");
  }
}

function toResponse(record: ImpressionRecord | ReplayedRecord): ImpressionResponse {
  return {
    impression_id: record.impression_id,
    campaign_id: record.match.campaign_id,
    creative_id: record.creative_id,
    game_id: record.match.game_id,
    charged_cents: chargedCents(record.match.price_millicents),
    recorded_at: new Date(record.recorded_at_ms).toISOString(),
  };
}
