import { advertiserApi } from "./advertiser.ts";
import { analyticsApi } from "./analytics.ts";
import { campaignsApi } from "./campaigns.ts";
import { creativesApi } from "./creatives.ts";
import type { ApiFeature, Operation } from "./operation.ts";
import { placementsApi } from "./placements.ts";
import { revenueApi } from "./revenue.ts";
import { servingApi } from "./serving.ts";

export { advertiserApi, analyticsApi, campaignsApi, creativesApi, placementsApi, revenueApi, servingApi };

/** Every feature of the API in the order of the document. */
export const apiFeatures: readonly ApiFeature[] = [
  advertiserApi,
  campaignsApi,
  creativesApi,
  analyticsApi,
  placementsApi,
  revenueApi,
  servingApi,
];

/** Every operation of the API: what the services mount, and what the document describes. */
export function allOperations(): Operation[] {
  return apiFeatures.flatMap((feature) => Object.values(feature.operations));
}
