/**
 * Impressions are kept for at least this many days: a match may be billed by its id for seven days
 * (LATE_IMPRESSION_SECONDS), and clocks may disagree by one (docs/behaviour.md#retention).
 */
export const MIN_RETENTION_DAYS = 8;
export const MAX_RETENTION_DAYS = 3_650;
