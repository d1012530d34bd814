export { type ConnectionOptions, connectRedis, type RedisConnection } from "./connection.ts";
export {
  type AdmitRequest,
  type AdmitResult,
  createGameSessions,
  type GameSessions,
  type SessionReference,
} from "./game-session/sessions.ts";
export { createMoneyCommands } from "./money/commands.ts";
export { holdOf, isCapStale } from "./money/holds.ts";
export type * from "./money/types.ts";
export { UnexpectedReply } from "./reply.ts";
