export { RecentMap } from "./recent-map.ts";
export { ShardedMap } from "./sharded-map.ts";
