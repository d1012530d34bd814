import { explain, sessionHasRoom } from "@diegetic/ad-rules";
import { type ExplainResponse, explainApi, matchRequest, noRegisteredGame } from "@diegetic/contracts";
import { identifyPlayer, type SessionReader, sessionIdleMs } from "@diegetic/hot-state";
import type { RequestContext } from "@diegetic/service-kit";
import { readCampaigns } from "../../core/campaign-rows/statements.ts";
import { ownCampaign } from "../../core/campaigns/store.ts";
import { campaignEntity } from "../../core/publishing/entities.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { readTotals } from "./money-totals.ts";
import { bestRivalRank } from "./rivals.ts";

/** `POST /campaigns/{id}/explain`: how a match request would treat one campaign, rule by rule (docs/behaviour.md#explain). */
export const explainEndpoints = endpointsOf(explainApi.operations, { explain: explainCampaign });

async function explainCampaign(parts: Parts, context: RequestContext) {
  const { id } = await ownCampaign(parts.reader, context.accountId, context.param("campaignId"));
  const body = context.body(matchRequest);
  const { index, placement: placementOf } = parts.market.current();
  const placement = placementOf(body.game_id);
  if (placement === undefined) throw noRegisteredGame.error();
  // From Postgres, because the market has only the ids of inactive campaigns.
  const [row] = await readCampaigns(parts.reader, [id]);
  if (row === undefined) throw new Error(`campaign ${id} is gone`);
  const campaign = campaignEntity(row);
  const nowMs = parts.clock();
  const scene = { placement, context: body.game_context, geo: body.player_geo ?? null, nowMs };

  // Does not reveal what a player saw in another account's game.
  const countsAsNew = placement.account_id !== context.accountId;
  const sessions = countsAsNew ? newSessions : parts.sessions;
  const player = identifyPlayer(parts.players.hashKey, placement.account_id, body.user_id, body.session_id);
  const sessionQuery = {
    gameId: body.game_id,
    sessionKey: player.sessionKey,
    idleMs: sessionIdleMs(parts.players, body.session_id),
  };
  const [totals, session, bestRank] = await Promise.all([
    readTotals(parts.wallets, campaign, scene),
    sessions.read({
      ...sessionQuery,
      advertiserId: campaign.advertiser_id,
      creativeIds: campaign.creatives.map((creative) => creative.creative_id),
    }),
    bestRivalRank({ wallets: parts.wallets, sessions, index }, id, scene, sessionQuery),
  ]);
  // A full session has no winner.
  const winningRank = sessionHasRoom(session.ads, placement.max_ads_per_session) ? bestRank : null;
  const explanation = explain(campaign, scene, {
    ...totals,
    session: { ...session, maxAds: placement.max_ads_per_session, countsAsNew },
    winningRank,
  });
  return { status: 200, body: toResponse(explanation, countsAsNew) };
}

/** Sessions without any ads yet. */
const newSessions: SessionReader = {
  read: async () => ({ ads: 0, appearances: new Map() }),
};

function toResponse(explanation: ReturnType<typeof explain>, countsAsNew: boolean): ExplainResponse {
  return {
    campaign_id: explanation.campaignId,
    would_serve: explanation.wouldServe,
    checks: explanation.checks,
    affinity_score: explanation.affinityScore,
    affinity_parts: explanation.affinityParts,
    rank: explanation.rank,
    winning_rank: explanation.winningRank,
    summary: explanation.summary,
    bid_to_win_cents: explanation.bidToWinCents,
    session_counts_as_new: countsAsNew,
  };
}
