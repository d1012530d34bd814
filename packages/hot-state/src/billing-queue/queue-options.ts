/** A cluster requires one hash tag for all keys of the queue. */
export const BILLING_QUEUE = { name: "impressions", prefix: "{billing}" };

export const MAX_RECORDS_PER_JOB = 500;
/** Of 55 bytes each: less than a kilobyte. */
export const MAX_TRACEPARENTS_PER_JOB = 16;
