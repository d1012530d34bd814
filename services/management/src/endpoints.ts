import { servingApi } from "@diegetic/contracts";
import { type Endpoint, endpoint, unavailable } from "@diegetic/service-kit";
import { advertiserEndpoints } from "./features/advertiser/endpoints.ts";
import { affinityEndpoints } from "./features/affinities/endpoints.ts";
import { analyticsEndpoints } from "./features/analytics/endpoints.ts";
import { apiKeyEndpoints } from "./features/api-keys/endpoints.ts";
import { blocklistEndpoints } from "./features/blocklist/endpoints.ts";
import { campaignEndpoints } from "./features/campaigns/endpoints.ts";
import { creativeEndpoints } from "./features/creatives/endpoints.ts";
import { demoEndpoints } from "./features/demo/endpoints.ts";
import { explainEndpoints } from "./features/explain/endpoints.ts";
import { geoTargetEndpoints } from "./features/geo-targets/endpoints.ts";
import { ledgerEndpoints } from "./features/ledger/endpoints.ts";
import { memberEndpoints } from "./features/members/endpoints.ts";
import type { Parts } from "./features/parts.ts";
import { placementEndpoints } from "./features/placements/endpoints.ts";
import { revenueEndpoints } from "./features/revenue/endpoints.ts";
import { sessionEndpoints } from "./features/sessions/endpoints.ts";
import { simulatorEndpoints } from "./features/simulator/endpoints.ts";
import { systemEndpoints } from "./features/system/endpoints.ts";
import { trafficEndpoints } from "./features/traffic/endpoints.ts";
import { webhookEndpoints } from "./features/webhooks/endpoints.ts";

/** Endpoints of the dashboard: sign-in, sessions, members, the demo game, and the operator's pages. */
export function signedInEndpoints(parts: Parts): Endpoint[] {
  return [
    ...sessionEndpoints(parts),
    ...memberEndpoints(parts),
    ...demoEndpoints(parts),
    ...systemEndpoints(parts),
  ];
}

/** All endpoints of management. If two paths match a request, the earlier one handles it. */
export function managementEndpoints(parts: Parts): Endpoint[] {
  return [
    ...advertiserEndpoints(parts),
    ...campaignEndpoints(parts),
    ...creativeEndpoints(parts),
    ...geoTargetEndpoints(parts),
    ...blocklistEndpoints(parts),
    ...affinityEndpoints(parts),
    ...simulatorEndpoints(parts),
    ...explainEndpoints(parts),
    ...placementEndpoints(parts),
    ...apiKeyEndpoints(parts),
    ...analyticsEndpoints(parts),
    ...ledgerEndpoints(parts),
    ...revenueEndpoints(parts),
    ...trafficEndpoints(parts),
    ...webhookEndpoints(parts),
  ];
}

/**
 * Operations of the match service, for proxies that route them here by mistake: clients repeat a 503, but drop an
 * impression after a 404.
 */
export function misroutedEndpoints(): Endpoint[] {
  return Object.values(servingApi.operations).map((operation) =>
    endpoint(operation, () => {
      throw unavailable(
        "This address reaches the management service: route /match and /impressions to match instances.",
      );
    }),
  );
}
