import type { RedisConnection } from "@diegetic/hot-state";
import { type AdvertiserParts, advertiserInspections } from "./advertisers.ts";
import type { Inspection } from "./comparison.ts";
import { developerInspections, ledgerInspections } from "./ledger-checks.ts";
import { dayInspections, memberInspections, playerInspections } from "./member-checks.ts";
import { sessionInspections, snapshotInspections } from "./redis-checks.ts";
import { upkeepInspection, wholeInspections } from "./whole-checks.ts";

export interface InspectionParts extends AdvertiserParts {
  redis: RedisConnection;
}

export interface InspectionLimits {
  /** Maximum keys, of any kind, to scan for player sessions. */
  maxSessionKeys: number;
  /** With more impressions, or ledger entries, checks that need all of them are left out. Default: never. */
  maxRows?: number;
  /** UTC days that are inspected one at a time, whatever `maxRows`. Default: none. */
  singleDays?: string[];
}

/** Everything that is compared, in lists of which each may fail for itself. */
export function allInspections(
  parts: InspectionParts,
  { maxSessionKeys, maxRows = Number.POSITIVE_INFINITY, singleDays = [] }: InspectionLimits,
): (AsyncIterable<Inspection> | Iterable<Inspection>)[] {
  const { database, redis, nowMs, timeoutMs } = parts;
  return [
    [upkeepInspection(database, nowMs, timeoutMs)],
    advertiserInspections(parts),
    ledgerInspections(database, timeoutMs),
    playerInspections(database),
    developerInspections(database),
    snapshotInspections(database, redis),
    sessionInspections(database, redis, maxSessionKeys),
    dayInspections(database, singleDays, timeoutMs),
    memberInspections(database, timeoutMs, { maxRows, exceptDays: singleDays }),
    wholeInspections(database, timeoutMs, maxRows),
  ];
}
