import type { Database, Pipeline, Reader } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import type { Endpoint } from "@diegetic/service-kit";
import { advertiserEndpoints } from "./advertiser/endpoints.ts";
import { affinityEndpoints } from "./affinities/endpoints.ts";
import { accountAnalyticsEndpoints } from "./analytics/account-endpoints.ts";
import { analyticsEndpoints } from "./analytics/endpoints.ts";
import { spendEndpoints } from "./analytics/spend-endpoint.ts";
import { type ApiKeyParts, apiKeyEndpoints } from "./api-keys/endpoints.ts";
import { blocklistEndpoints } from "./blocklist/endpoints.ts";
import { campaignEndpoints } from "./campaigns/endpoints.ts";
import { creativeEndpoints } from "./creatives/endpoints.ts";
import { type DemoParts, demoEndpoints } from "./demo/endpoints.ts";
import { depositEndpoints } from "./deposit/endpoints.ts";
import { type ExplainParts, explainEndpoints } from "./explain/endpoints.ts";
import { geoTargetEndpoints } from "./geo-targets/endpoints.ts";
import { ledgerEndpoints } from "./ledger/endpoints.ts";
import { memberEndpoints } from "./members/endpoints.ts";
import { placementEndpoints } from "./placements/endpoints.ts";
import type { CallerReads } from "./reading-barrier/caller-reads.ts";
import type { ReadingBarrier } from "./reading-barrier/reading-barrier.ts";
import { revenueEndpoints } from "./revenue/endpoints.ts";
import { type SessionParts, sessionEndpoints } from "./sessions/endpoints.ts";
import type { Clock } from "./shared/time.ts";
import { simulatorEndpoints } from "./simulator/endpoints.ts";
import type { Publishing } from "./snapshot-publishing/publishing.ts";
import { type SystemParts, systemEndpoints } from "./system/endpoints.ts";
import { type TrafficParts, trafficEndpoints } from "./traffic/endpoints.ts";

/** The dependencies of the features. */
export interface FeatureParts
  extends ExplainParts,
    ApiKeyParts,
    SessionParts,
    TrafficParts,
    DemoParts,
    SystemParts {
  database: Database;
  wallets: MoneyCommands;
  publishing: Publishing;
  /** For hand-written read statements. */
  reader: Reader;
  /** For changes of campaigns. */
  pipeline: Pipeline;
  reads: CallerReads;
  barrier: ReadingBarrier;
  clock: Clock;
}

/** Endpoints of the dashboard: sign-in, sessions, members, the demo game, and the operator's pages. */
export function signedInEndpoints(parts: FeatureParts): Endpoint[] {
  return [
    ...sessionEndpoints(parts),
    ...memberEndpoints(parts),
    ...demoEndpoints(parts),
    ...systemEndpoints(parts),
  ];
}

/** All endpoints of management. If two paths match a request, the earlier one handles it. */
export function managementEndpoints(parts: FeatureParts): Endpoint[] {
  return [
    ...advertiserEndpoints(parts),
    ...depositEndpoints(parts),
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
    ...accountAnalyticsEndpoints(parts),
    ...spendEndpoints(parts),
    ...ledgerEndpoints(parts),
    ...revenueEndpoints(parts),
    ...trafficEndpoints(parts),
  ];
}
