export { chunks } from "./chunks.ts";
export { ShardedMap } from "./sharded-map.ts";
export { SharedRuns } from "./shared-runs.ts";
