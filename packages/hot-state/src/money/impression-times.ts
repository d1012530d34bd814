import { requireInteger } from "../arguments.ts";

/** Of a hold, a session, and the times of impressions. */
export const MAX_DURATION_MS = 7 * 24 * 60 * 60 * 1_000;

/** Until when an impression bills its match (docs/behaviour.md#which-match, docs/behaviour.md#late-impressions). */
export interface ImpressionTimes {
  /** Duration of a hold: bounds the search for a match without its id. */
  holdTtlMs: number;
  /** A match is billed by its id until it is this old. */
  lateImpressionMs: number;
  /** Without its id it is billed until this long after its hold lapses. */
  matchWithoutIdMs: number;
  /** How long a retried request may be in flight: extends the lifetime of matches. Default: ten minutes. */
  resendMs?: number;
}

export const DEFAULT_IMPRESSION_TIMES: ImpressionTimes = {
  holdTtlMs: 600_000,
  lateImpressionMs: 86_400_000,
  matchWithoutIdMs: 3_600_000,
};

export function requireTimes({ holdTtlMs, lateImpressionMs, matchWithoutIdMs }: ImpressionTimes): void {
  requireInteger("holdTtlMs", holdTtlMs, 1, MAX_DURATION_MS);
  requireInteger("lateImpressionMs", lateImpressionMs, 1, MAX_DURATION_MS);
  requireInteger("matchWithoutIdMs", matchWithoutIdMs, 0, MAX_DURATION_MS);
}
