export { ShardedMap } from "./sharded-map.ts";
