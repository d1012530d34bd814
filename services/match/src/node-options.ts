/**
 * How Node is started for an instance (docs/performance.md). A larger heap at the start: V8 does not collect the whole of it
 * while a snapshot is loaded. A larger young generation: fewer collections, each of which copies what requests have under
 * way. One helper thread of V8 instead of four: on two cores the others would take the core of the main thread by turns;
 * instances are added to use more cores.
 */
export const MATCH_NODE_OPTIONS: readonly string[] = [
  "--initial-old-space-size=256",
  "--min-semi-space-size=16",
  "--max-semi-space-size=32",
  "--v8-pool-size=1",
];
