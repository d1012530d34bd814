/** One hash tag for all keys of the queue, as a cluster needs it. */
export const QUEUE_PREFIX = "{billing}";
export const QUEUE_NAME = "impressions";

/** Most records in one job. */
export const MAX_RECORDS_PER_JOB = 500;
