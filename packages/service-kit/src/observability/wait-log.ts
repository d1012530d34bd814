import type { Logger } from "./logger.ts";
import { OutageTeller } from "./outage-log.ts";

/**
 * Tells of a condition that every start brings and that ends by itself, however often it is met: once as information, as a
 * warning when it has lasted ten seconds, and every ten seconds from then on, and once when it is over.
 */
export function createWaitLog(
  logger: Logger,
  words: { waiting: string; stillWaiting: string; over: string },
  nowMs?: () => number,
): OutageTeller<void> {
  return new OutageTeller(
    {
      away: (_facts, _latest, isNew) =>
        isNew ? logger.info(words.waiting) : logger.warn(words.stillWaiting),
      back: ({ awaySeconds }) => logger.info({ awaySeconds }, words.over),
    },
    nowMs,
  );
}
