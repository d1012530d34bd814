export { isLoopbackAddress, isLoopbackHost, isPrivateHost, isPublicAddress } from "./addresses.ts";
export { requireRole } from "./http/access.ts";
export { createApp } from "./http/app.ts";
export type * from "./http/endpoint.ts";
export * from "./http/http-error.ts";
export { jsonSha256 } from "./http/json-hash.ts";
export { type ListeningServer, listen } from "./http/listen.ts";
export { endpoint } from "./http/operation-endpoint.ts";
export { startOperationsServer } from "./http/operations-server.ts";
export { uncountedLimitHeaders } from "./http/refused-connections.ts";
export { cookieValue, isSecure, sessionCookieName } from "./http/session-cookie.ts";
export { pauseAfterFailuresMs, RepeatingTask } from "./lifecycle/repeating-task.ts";
export { type RunningService, runService } from "./lifecycle/run-service.ts";
export { createLogger, type Logger } from "./observability/logger.ts";
export {
  type Counter,
  createMetrics,
  type Gauge,
  type Histogram,
  type Metrics,
} from "./observability/metrics.ts";
export {
  createConnectionLogs,
  createForeignRedisLog,
  logOutageOrWait,
  OutageLog,
} from "./observability/outage-log.ts";
export {
  checkReadiness,
  failingChecks,
  publicReadiness,
  type ReadinessChecks,
} from "./observability/readiness.ts";
export * from "./settings/common.ts";
export * from "./settings/options.ts";
export * from "./settings/settings.ts";
export * from "./settings/store-addresses.ts";
