import type { ApiFeature, Operation } from "../definition/operation.ts";
import { advertiserApi } from "./advertiser.ts";
import { affinitiesApi } from "./affinities.ts";
import { analyticsApi } from "./analytics.ts";
import { apiKeysApi } from "./api-keys.ts";
import { blocklistApi } from "./blocklist.ts";
import { campaignsApi } from "./campaigns.ts";
import { creativesApi } from "./creatives.ts";
import { demoApi } from "./demo.ts";
import { explainApi } from "./explain.ts";
import { geoTargetsApi } from "./geo-targets.ts";
import { ledgerApi } from "./ledger.ts";
import { membersApi } from "./members.ts";
import { placementsApi } from "./placements.ts";
import { revenueApi } from "./revenue.ts";
import { servingApi } from "./serving.ts";
import { sessionsApi } from "./sessions.ts";
import { simulatorApi } from "./simulator.ts";
import { systemApi } from "./system.ts";
import { trafficApi } from "./traffic.ts";
import { webhooksApi } from "./webhooks.ts";

export * from "./advertiser.ts";
export * from "./affinities.ts";
export * from "./analytics.ts";
export * from "./api-keys.ts";
export * from "./blocklist.ts";
export * from "./campaigns.ts";
export * from "./creatives.ts";
export * from "./demo.ts";
export * from "./explain.ts";
export * from "./geo-targets.ts";
export * from "./ledger.ts";
export * from "./members.ts";
export * from "./placements.ts";
export * from "./revenue.ts";
export * from "./serving.ts";
export * from "./sessions.ts";
export * from "./simulator.ts";
export * from "./system.ts";
export * from "./traffic.ts";
export * from "./webhooks.ts";

/** Features for API keys. */
const apiKeyFeatures: readonly ApiFeature[] = [
  advertiserApi,
  campaignsApi,
  creativesApi,
  geoTargetsApi,
  blocklistApi,
  affinitiesApi,
  simulatorApi,
  explainApi,
  analyticsApi,
  ledgerApi,
  placementsApi,
  revenueApi,
  trafficApi,
  servingApi,
  apiKeysApi,
  webhooksApi,
];

/** Features for the dashboard only: sign-in, what only signed-in users may do, the demo game. */
const dashboardFeatures: readonly ApiFeature[] = [sessionsApi, membersApi, demoApi, systemApi];

/** Features in the document, in order. */
export const documentedFeatures: readonly ApiFeature[] = [...apiKeyFeatures, ...dashboardFeatures];

/** Operations that API keys may call, and sessions, too. */
export function apiKeyOperations(): Operation[] {
  return apiKeyFeatures.flatMap((feature) => Object.values(feature.operations));
}

/** All other operations: for sessions only, or for anyone. */
export function dashboardOperations(): Operation[] {
  return dashboardFeatures.flatMap((feature) => Object.values(feature.operations));
}
