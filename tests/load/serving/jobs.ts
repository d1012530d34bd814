import type { ClosedLoop, ClosedLoopResult } from "../generator/closed-loop.ts";
import type { OpenLoop, OpenLoopResult } from "../generator/open-loop.ts";

/** What is sent. `pool`: whose players and matches; every world has its own. `key`: default that of the made worlds. */
export type Kind =
  | { source: "echo" }
  | { source: "match"; pool: string; path: string; key?: string; keepMatches?: boolean }
  | { source: "impressions"; pool: string; path: string; key?: string };

/** What the load generator is told to do; it answers in order. */
export type Job =
  | { loop: "closed"; load: ClosedLoop; kind: Kind }
  | { loop: "open"; load: OpenLoop; kind: Kind };

export type JobAnswer = { result: ClosedLoopResult | OpenLoopResult } | { failed: string };
