import type { Logger } from "./logger.ts";

const WARN_EVERY_MS = 10_000;
/** Not met for so long: it has ended. */
const ENDED_AFTER_MS = 5_000;

/**
 * Tells of a condition that every start brings and that ends by itself, however often it is met: once as information, and as a
 * warning when it has lasted ten seconds, and every ten seconds from then on.
 */
export function createWaitLog(
  logger: Logger,
  words: { waiting: string; stillWaiting: string },
  nowMs: () => number = () => performance.now(),
): () => void {
  let metMs = Number.NEGATIVE_INFINITY;
  let warnAtMs = 0;
  return () => {
    const isNew = nowMs() - metMs > ENDED_AFTER_MS;
    metMs = nowMs();
    if (!isNew && metMs < warnAtMs) return;
    warnAtMs = metMs + WARN_EVERY_MS;
    if (isNew) logger.info(words.waiting);
    else logger.warn(words.stillWaiting);
  };
}
