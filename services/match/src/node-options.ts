/**
 * Node options of an instance (docs/notes/performance-experiments.md#memory-and-what-holds-up-the-loop). A larger initial
 * heap avoids full collections while a snapshot loads. A larger young generation needs fewer collections, each of which
 * copies the data of running requests. One V8 helper thread instead of four: on two cores, more would compete with the
 * main thread. Add instances to use more cores.
 */
export const MATCH_NODE_OPTIONS: readonly string[] = [
  "--initial-old-space-size=256",
  "--min-semi-space-size=16",
  "--max-semi-space-size=32",
  "--v8-pool-size=1",
];
