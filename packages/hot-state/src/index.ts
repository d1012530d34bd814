export {
  type BillingProducer,
  type BillingProducerOptions,
  createBillingProducer,
} from "./billing-queue/producer.ts";
export { MAX_RECORDS_PER_JOB } from "./billing-queue/queue-options.ts";
export {
  type BillingWorker,
  type BillingWorkerOptions,
  createBillingWorker,
} from "./billing-queue/worker.ts";
export { type ConnectionOptions, connectRedis, type RedisConnection } from "./connection.ts";
export { type DueAdvertiser, DueIndex, type DueIndexOptions, type DueKind } from "./due/due-index.ts";
export { evictionPolicies } from "./eviction.ts";
export { anonymousHash, ERASED_SESSION, PlayerEraser } from "./game-session/player-eraser.ts";
export {
  identifyPlayer,
  type PlayerIdentity,
  type SessionIdleTimes,
  sessionIdleMs,
} from "./game-session/player-identity.ts";
export {
  createSessionReader,
  type SessionReader,
  type SessionView,
} from "./game-session/session-reader.ts";
export {
  type AdmitRequest,
  type AdmitResult,
  createGameSessions,
  type GameSessions,
  type SessionReference,
} from "./game-session/sessions.ts";
export { hashSlotOf, hashSlotOwners } from "./hash-slot-owners.ts";
export { type Claim, IdempotencyClaims } from "./idempotency/idempotency-claims.ts";
export { ForeignRedis } from "./installation/foreign-redis.ts";
export { InstallationClaim } from "./installation/installation-claim.ts";
export { type KeyUse, KeyUses, type KeyUsesOptions, takeKeyUses } from "./key-use/key-uses.ts";
export { addCampaignGameCounts, type CampaignGameCounts } from "./money/campaign-games.ts";
export { createMoneyCommands } from "./money/commands.ts";
export {
  DEFAULT_IMPRESSION_TIMES,
  holdOf,
  type ImpressionTimes,
  isCapLost,
  isCapStale,
} from "./money/holds.ts";
export type * from "./money/recovery-types.ts";
export type * from "./money/types.ts";
export {
  ProcessReporter,
  type ProcessState,
  type ReconciliationReport,
  type ReportedDifference,
  readProcessReports,
} from "./processes/process-reports.ts";
export {
  type RateLimitAnswer,
  RateLimiter,
  type RateLimiterOptions,
  UNLIMITED,
} from "./rate-limit/rate-limiter.ts";
export {
  createSessionSummaryReader,
  type SessionSummary,
  type SessionSummaryReader,
} from "./reconciliation/session-summary.ts";
export {
  countSnapshotEntities,
  readSnapshotRows,
  type SnapshotRow,
} from "./reconciliation/snapshot-summary.ts";
export {
  type CampaignSummary,
  createWalletReader,
  type WalletLimits,
  type WalletReader,
  type WalletSummary,
} from "./reconciliation/wallet-summary.ts";
export { describeRedisUnavailable, isRedisFull, isRedisUnavailable } from "./redis-unavailable.ts";
export { masterReplicationIds, UNAVAILABLE_SERVER } from "./replication-ids.ts";
export { UnexpectedReply } from "./reply.ts";
export { createReserveAndAdmit, type ReserveAndAdmit, reserveAndAdmitAtOnce } from "./reservations.ts";
export { type ServerMemory, serverMemory } from "./server-memory.ts";
export { type SnapshotChange, SnapshotFollower, type SnapshotFollowerOptions } from "./snapshot/follower.ts";
export {
  LeaseExpired,
  NotPropagatedError,
  SNAPSHOT_LEASE_MS,
  SnapshotLostError,
  SnapshotNotPublished,
} from "./snapshot/lease.ts";
export {
  type SnapshotEntry,
  SnapshotPublisher,
  type SnapshotPublisherOptions,
} from "./snapshot/publisher.ts";
export { type ServingOperation, TRAFFIC_LIMITS, WORD_TYPES, type WordType } from "./traffic/limits.ts";
export type { NoMatchScene, SceneContext } from "./traffic/scene.ts";
export {
  type AccountCalls,
  type LastCalls,
  type SentWord,
  type TrafficCounts,
  type TrafficPoint,
  TrafficReader,
} from "./traffic/traffic-reader.ts";
export {
  type MatchCall,
  TrafficRecorder,
  type TrafficRecorderOptions,
} from "./traffic/traffic-recorder.ts";
export { unusableRedis } from "./unusable-redis.ts";
export {
  createWebhookProducer,
  createWebhookWorker,
  RetryAfter,
  type WebhookJob,
  type WebhookProducer,
  type WebhookWorker,
} from "./webhook-queue/webhook-queue.ts";
