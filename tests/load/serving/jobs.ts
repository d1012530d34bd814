import type { ClosedLoop, ClosedLoopResult } from "../generator/closed-loop.ts";
import type { OpenLoop, OpenLoopResult } from "../generator/open-loop.ts";

/** Kind of requests. `pool`: the players and matches; every world has its own. `key`: default: that of generated worlds. */
export type Kind =
  | { source: "echo" }
  | { source: "match"; pool: string; path: string; key?: string; keepMatches?: boolean }
  | { source: "impressions"; pool: string; path: string; key?: string };

/** Jobs for the load generator; it answers in order. */
export type Job =
  | { loop: "closed"; load: ClosedLoop; kind: Kind }
  | { loop: "open"; load: OpenLoop; kind: Kind };

export type JobAnswer = { result: ClosedLoopResult | OpenLoopResult } | { failed: string };
