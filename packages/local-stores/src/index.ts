export { findChromium } from "./chromium.ts";
export { findProgram } from "./debian-package.ts";
export { freePort } from "./free-port.ts";
export { startPostgres } from "./postgres.ts";
export { processIdentity, type RunningStore, SetupError, type StartOptions, waitUntil } from "./process.ts";
export { type RedisOptions, startRedis } from "./redis.ts";
export { findRedisServer } from "./redis-binary.ts";
export { redisCommand } from "./redis-command.ts";
