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
import type { ApiFeature, Operation } from "./operation.ts";
import { placementsApi } from "./placements.ts";
import { revenueApi } from "./revenue.ts";
import { servingApi } from "./serving.ts";
import { sessionsApi } from "./sessions.ts";
import { simulatorApi } from "./simulator.ts";
import { systemApi } from "./system.ts";
import { trafficApi } from "./traffic.ts";

export {
  advertiserApi,
  affinitiesApi,
  analyticsApi,
  apiKeysApi,
  blocklistApi,
  campaignsApi,
  creativesApi,
  demoApi,
  explainApi,
  geoTargetsApi,
  ledgerApi,
  membersApi,
  placementsApi,
  revenueApi,
  servingApi,
  sessionsApi,
  simulatorApi,
  systemApi,
  trafficApi,
};

/** Every feature that API keys have. */
export const apiFeatures: readonly ApiFeature[] = [
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
];

/** What only the pages of the dashboard call: signing in, what signed-in users alone may do, the demo game. */
const dashboardFeatures: readonly ApiFeature[] = [sessionsApi, membersApi, demoApi, systemApi];

/** What the document describes, in its order. */
export const documentedFeatures: readonly ApiFeature[] = [...apiFeatures, ...dashboardFeatures];

/** Every operation that API keys can call, and sessions, too. */
export function allOperations(): Operation[] {
  return apiFeatures.flatMap((feature) => Object.values(feature.operations));
}

/** Every other operation: for sessions alone, or for anyone. */
export function sessionOperations(): Operation[] {
  return dashboardFeatures.flatMap((feature) => Object.values(feature.operations));
}
