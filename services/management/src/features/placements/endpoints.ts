import {
  badCursor,
  gameIdParameter,
  type PlacementBody,
  placementCreate,
  placementPatch,
  placementsApi,
} from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { basisPointsToPercent } from "@diegetic/money";
import type { RequestContext } from "@diegetic/service-kit";
import { createOnce, readSentBody } from "../../core/idempotency/create-once.ts";
import { listAnswer, type Paging, readPaging } from "../../core/shared/paging.ts";
import { timestamp } from "../../core/shared/time.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { changedSettings, enabledSettings, type Placement } from "./placement.ts";
import {
  enablePlacement,
  findPlacement,
  isGameId,
  listPlacements,
  ownPlacement,
  requireOwner,
  updatePlacement,
} from "./store.ts";

export const placementEndpoints = endpointsOf(placementsApi.operations, {
  list,
  enable,
  show,
  change,
  disable,
});

function toResponse(placement: Placement): PlacementBody {
  return {
    game_id: placement.gameId,
    creator_id: placement.creatorId,
    placement_types: placement.placementTypes,
    revenue_share_pct: basisPointsToPercent(placement.revenueShareBasisPoints),
    max_ads_per_session: placement.maxAdsPerSession,
    blocked_advertisers: placement.blockedAdvertisers,
    blocked_categories: placement.blockedCategories,
    is_active: placement.isActive,
    created_at: timestamp(placement.createdAt),
  };
}

async function list({ database }: Parts, context: RequestContext) {
  const paging = readPaging(context);
  if (paging.after !== undefined) await requireOwnCursor(database, context.accountId, paging.after);
  const read = (page: Paging) => listPlacements(database, context.accountId, page);
  return listAnswer(context, paging, read, ({ gameId }) => gameId, toResponse);
}

/** Throws 400 for a cursor that is no game of the account. */
async function requireOwnCursor(database: Database, accountId: string, cursor: string): Promise<void> {
  const placement = isGameId(cursor) ? await findPlacement(database, cursor) : undefined;
  if (placement?.accountId !== accountId) throw badCursor.error();
}

async function enable({ database, publishing, clock }: Parts, context: RequestContext) {
  const gameId = gameIdParameter(context.param("gameId"));
  const existing = await findPlacement(database, gameId);
  if (existing !== undefined) requireOwner(existing, context.accountId);
  const { sent, value } = readSentBody(context, placementCreate);
  const settings = enabledSettings(value);
  const owner = { gameId, accountId: context.accountId, creatorId: value.creator_id };
  const nowMs = clock();
  // Stays true when an earlier answer is repeated.
  let mayRestrict = true;
  const answer = await createOnce(database, context, sent, async (transaction) => {
    const { placement, wasActive } = await enablePlacement(transaction, owner, settings, nowMs);
    mayRestrict = wasActive;
    return { status: 201, body: toResponse(placement) };
  });
  // Changing an active placement may restrict it, and is safe to repeat.
  if (mayRestrict) await publishing.publishAndWait("placement", gameId);
  else await publishing.publishEventually("placement", gameId);
  return answer;
}

async function show({ database }: Parts, context: RequestContext) {
  const placement = await ownPlacement(database, context.accountId, context.param("gameId"));
  return { status: 200, body: toResponse(placement) };
}

async function change({ database, publishing }: Parts, context: RequestContext) {
  const placement = await ownPlacement(database, context.accountId, context.param("gameId"));
  const changed = changedSettings(context.body((sent) => placementPatch(sent, toResponse(placement))));
  if (Object.keys(changed).length === 0) return { status: 200, body: toResponse(placement) };
  const result = await updatePlacement(database, placement.gameId, changed);
  await publishing.publishAndWait("placement", placement.gameId);
  return { status: 200, body: toResponse(result) };
}

async function disable({ database, publishing }: Parts, context: RequestContext) {
  const placement = await ownPlacement(database, context.accountId, context.param("gameId"));
  if (placement.isActive) await updatePlacement(database, placement.gameId, { isActive: false });
  await publishing.publishAndWait("placement", placement.gameId);
  return { status: 204 };
}
