/** How Node is started for an instance: collections of the whole heap would hold up the loop while a snapshot is loaded. */
export const MATCH_NODE_OPTIONS: readonly string[] = ["--initial-old-space-size=128"];
