import { MAX_MATCH_AGE_MS } from "@diegetic/contracts";
import { DAY_MS } from "@diegetic/database";

/**
 * Impressions are kept for at least this many days: as long as a match may be billed by its id, and clocks may disagree by
 * a day (docs/behaviour.md#retention).
 */
export const MIN_RETENTION_DAYS = MAX_MATCH_AGE_MS / DAY_MS + 1;
export const MAX_RETENTION_DAYS = 3_650;
