export { type BillingProducer, createBillingProducer } from "./billing-queue/producer.ts";
export { MAX_RECORDS_PER_JOB } from "./billing-queue/queue-options.ts";
export { createBillingWorker } from "./billing-queue/worker.ts";
export { connectRedis, type RedisConnection } from "./connection.ts";
export { DueIndex } from "./due/due-index.ts";
export { anonymousHash, ERASED_SESSION, PlayerEraser } from "./game-session/player-eraser.ts";
export {
  identifyPlayer,
  playerHashKeyCheck,
  type SessionIdleTimes,
  sessionIdleMs,
} from "./game-session/player-identity.ts";
export { createSessionReader, type SessionReader } from "./game-session/session-reader.ts";
export {
  type AdmitRequest,
  type AdmitResult,
  createGameSessions,
  type GameSessions,
} from "./game-session/sessions.ts";
export { hashSlotOf, hashSlotOwners } from "./hash-slot-owners.ts";
export { IdempotencyClaims } from "./idempotency/idempotency-claims.ts";
export { ForeignRedis } from "./installation/foreign-redis.ts";
export { InstallationClaim } from "./installation/installation-claim.ts";
export { type KeyUse, KeyUses, takeKeyUses } from "./key-use/key-uses.ts";
export {
  advertiserOf,
  isPlainName,
  MAX_WALLET_SLICES,
  sliceOf,
  sliceOfSession,
  walletIdOf,
  walletOfMatch,
  walletOfRecord,
} from "./keys.ts";
export {
  addCampaignGameCounts,
  type CampaignGameCounts,
  type CampaignGames,
  type DeveloperHolds,
} from "./money/campaign-games.ts";
export type * from "./money/campaign-state.ts";
export { type EarlierAds, isCapLost, isCapStale } from "./money/caps.ts";
export { createMoneyCommands } from "./money/commands.ts";
export type { CarriedMatch, CommitRequest, CommitResult, ReplayedRecord } from "./money/commit.ts";
export { type HoldReference, holdOf, type LapsedHold } from "./money/holds.ts";
export { DEFAULT_IMPRESSION_TIMES, type ImpressionTimes } from "./money/impression-times.ts";
export type * from "./money/recovery-types.ts";
export {
  type CommitRefusal,
  LACKS_BUDGET,
  lacksMoney,
  type NeededMoney,
  type RefusalLasts,
  type ReserveRefusal,
} from "./money/refusals.ts";
export type { ReserveRequest, ReserveResult } from "./money/reserve.ts";
export { createSliceGrants, type SliceGrants } from "./money/slice-grants.ts";
export { createSliceReports, type SliceReports } from "./money/slice-reports.ts";
export type { OwnTotals } from "./money/sliced-totals.ts";
export type * from "./money/types.ts";
export { walletIds } from "./money/wallet-ids.ts";
export {
  isSilent,
  type ProcessReport,
  ProcessReporter,
  type ReconciliationReport,
  readProcessReports,
} from "./processes/process-reports.ts";
export type { QueueWorker } from "./queue-worker.ts";
export { RateLimiter } from "./rate-limit/rate-limiter.ts";
export { createSessionSummaryReader, type SessionSummary } from "./reconciliation/session-summary.ts";
export { countSnapshotEntities, readSnapshotRows } from "./reconciliation/snapshot-summary.ts";
export { createWalletReader, type WalletLimits, type WalletReader } from "./reconciliation/wallet-reader.ts";
export type { CampaignSummary, WalletSummary } from "./reconciliation/wallet-summary.ts";
export { describeRedisUnavailable, isRedisFull, isRedisUnavailable } from "./redis-unavailable.ts";
export { RedisUnusable } from "./redis-unusable.ts";
export { masterReplicationIds, UNAVAILABLE_SERVER } from "./replication-ids.ts";
export { UnexpectedReply } from "./reply.ts";
export { createReserveAndAdmit, type ReserveAndAdmit, reserveAndAdmitAtOnce } from "./reservations.ts";
export { serverMemory } from "./server-memory.ts";
export { type SnapshotChange, SnapshotFollower } from "./snapshot/follower.ts";
export {
  LeaseExpired,
  NotPropagatedError,
  SnapshotLostError,
  SnapshotNotPublished,
} from "./snapshot/lease.ts";
export { type RemovedEntity, type SnapshotEntry, SnapshotPublisher } from "./snapshot/publisher.ts";
export type { GameOfAccount } from "./traffic/gathered-calls.ts";
export type { ServingOperation, WordType } from "./traffic/limits.ts";
export type { NoMatchScene, SceneContext } from "./traffic/scene.ts";
export {
  type AccountCalls,
  type GameCalls,
  type TrafficCounts,
  type TrafficPoint,
  TrafficReader,
} from "./traffic/traffic-reader.ts";
export { TrafficRecorder } from "./traffic/traffic-recorder.ts";
export { unusableRedis } from "./unusable-redis.ts";
export {
  createWebhookProducer,
  createWebhookWorker,
  type WebhookJob,
  type WebhookProducer,
} from "./webhook-queue/webhook-queue.ts";
