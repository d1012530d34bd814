import type { Database, Pipeline, Reader } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import type { Endpoint } from "@diegetic/service-kit";
import type { Publishing } from "./core/publishing/publishing.ts";
import type { CallerReads } from "./core/read-your-writes/caller-reads.ts";
import type { ReadingBarrier } from "./core/read-your-writes/reading-barrier.ts";
import type { Clock } from "./core/shared/time.ts";
import { advertiserEndpoints } from "./features/advertiser/endpoints.ts";
import { affinityEndpoints } from "./features/affinities/endpoints.ts";
import { accountAnalyticsEndpoints } from "./features/analytics/account-endpoints.ts";
import { analyticsEndpoints } from "./features/analytics/endpoints.ts";
import { spendEndpoints } from "./features/analytics/spend-endpoint.ts";
import { type ApiKeyParts, apiKeyEndpoints } from "./features/api-keys/endpoints.ts";
import { blocklistEndpoints } from "./features/blocklist/endpoints.ts";
import { campaignEndpoints } from "./features/campaigns/endpoints.ts";
import { creativeEndpoints } from "./features/creatives/endpoints.ts";
import { type DemoParts, demoEndpoints } from "./features/demo/endpoints.ts";
import { depositEndpoints } from "./features/deposit/endpoints.ts";
import { type ExplainParts, explainEndpoints } from "./features/explain/endpoints.ts";
import { geoTargetEndpoints } from "./features/geo-targets/endpoints.ts";
import { ledgerEndpoints } from "./features/ledger/endpoints.ts";
import { memberEndpoints } from "./features/members/endpoints.ts";
import { placementEndpoints } from "./features/placements/endpoints.ts";
import { revenueEndpoints } from "./features/revenue/endpoints.ts";
import { type SessionParts, sessionEndpoints } from "./features/sessions/endpoints.ts";
import { simulatorEndpoints } from "./features/simulator/endpoints.ts";
import { type SystemParts, systemEndpoints } from "./features/system/endpoints.ts";
import { type TrafficParts, trafficEndpoints } from "./features/traffic/endpoints.ts";
import { type WebhookParts, webhookEndpoints } from "./features/webhooks/endpoints.ts";

/** The dependencies of the features. */
export interface FeatureParts
  extends ExplainParts,
    ApiKeyParts,
    SessionParts,
    TrafficParts,
    DemoParts,
    SystemParts,
    WebhookParts {
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
    ...webhookEndpoints(parts),
  ];
}
