export { findChromium } from "./chromium.ts";
export { findGo, findNginx, findPostgresWithBackupTools, findPromtool } from "./operators-programs.ts";
export { type PostgresOptions, startPostgres } from "./postgres.ts";
export { processIdentity, SetupError, waitUntil } from "./process.ts";
export { type RedisOptions, type RunningStore, startRedis } from "./redis.ts";
export { findRedisServer } from "./redis-binary.ts";
export { type RedisClusterOptions, type RunningCluster, startRedisCluster } from "./redis-cluster.ts";
