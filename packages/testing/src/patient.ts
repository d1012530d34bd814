/**
 * Time limits of services in tests that are not about them: on a machine that stalls for seconds, a reply may take longer than the
 * product waits for one. Short enough for a test of an unavailable store.
 */
const REDIS_TIMEOUT_MS = 10_000;
const PROPAGATION_TIMEOUT_MS = 20_000;

/** Options of the match tier. */
export const PATIENT_MATCH = { redisTimeoutMs: REDIS_TIMEOUT_MS };
/** Options of management beside match instances. */
export const PATIENT_MANAGEMENT = {
  redisTimeoutMs: REDIS_TIMEOUT_MS,
  propagationTimeoutMs: PROPAGATION_TIMEOUT_MS,
};
