/**
 * How Node is started for an instance, so that loading a snapshot does not hold up its loop. A larger heap at the start: V8
 * does not collect the whole of it while it grows. One helper thread of V8 instead of four: on two cores the others would
 * take the core of the main thread by turns. Instances are added to use more cores.
 */
export const MATCH_NODE_OPTIONS: readonly string[] = ["--initial-old-space-size=128", "--v8-pool-size=1"];
