import { MAX_MATCH_AGE_MS } from "@diegetic/contracts";

const MS_PER_DAY = 24 * 60 * 60 * 1_000;

/**
 * Impressions are kept for at least this many days: as long as a match may be billed by its id, and clocks may disagree by
 * a day (docs/behaviour.md#retention).
 */
export const MIN_RETENTION_DAYS = MAX_MATCH_AGE_MS / MS_PER_DAY + 1;
export const MAX_RETENTION_DAYS = 3_650;
