import {
  SIMULATOR_MOODS,
  type SimulateOptions,
  type SimulateResponse,
  simulateRequest,
  simulatorApi,
  withoutCreative,
} from "@diegetic/contracts";
import type { RequestContext } from "@diegetic/service-kit";
import { listAffinities } from "../../core/campaign-rows/affinities.ts";
import { ownCampaign } from "../../core/campaigns/store.ts";
import { snapshotAffinity, snapshotCreative } from "../../core/publishing/entities.ts";
import { listCreatives } from "../creatives/store.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { narrativeExamples, type Simulation, simulate } from "./simulate.ts";

export const simulatorEndpoints = endpointsOf(simulatorApi.operations, {
  simulate: simulateScene,
  options: showOptions,
});

async function simulateScene({ database, reader }: Parts, context: RequestContext) {
  const campaign = await ownCampaign(reader, context.accountId, context.param("campaignId"));
  const request = context.body(simulateRequest);
  const simulation = simulate(
    {
      creatives: (await listCreatives(database, campaign.id)).map(snapshotCreative),
      affinities: (await listAffinities(database, campaign.id)).map(snapshotAffinity),
    },
    { narrativeFunction: request.narrative_function, mood: request.mood },
  );
  if (simulation === undefined) throw withoutCreative.error();
  return { status: 200, body: toResponse(campaign.id, simulation) };
}

function toResponse(campaignId: string, simulation: Simulation): SimulateResponse {
  return {
    campaign_id: campaignId,
    matched_creative: {
      id: simulation.creative.creative_id,
      narrative_hook: simulation.line,
      creative_type: simulation.creative.creative_type,
    },
    biased_pipeline: { ...simulation.pipeline },
    affinity_scores: Object.fromEntries(simulation.scores),
    total_score: simulation.totalScore,
  };
}

async function showOptions({ database, reader }: Parts, context: RequestContext) {
  const campaign = await ownCampaign(reader, context.accountId, context.param("campaignId"));
  const affinities = (await listAffinities(database, campaign.id)).map(snapshotAffinity);
  const body: SimulateOptions = {
    moods: [...SIMULATOR_MOODS],
    narrative_examples: narrativeExamples(affinities),
    current_affinities: affinities.map(({ affinity_type, affinity_value, weight }) => ({
      affinity_type,
      affinity_value,
      weight,
    })),
  };
  return { status: 200, body };
}
