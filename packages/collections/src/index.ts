export { chunks } from "./chunks.ts";
export { ShardedMap } from "./sharded-map.ts";
