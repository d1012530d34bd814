import type { Logger } from "./logger.ts";
import { OutageLogger } from "./outage-log.ts";

/**
 * Logs failures as an outage or as a wait. A store that reports what it waits for is not unavailable.
 * @param isWait whether an error means that there is something to wait for
 */
export function logOutageOrWait(
  outage: OutageLogger,
  wait: OutageLogger<void>,
  isWait: (error: Error) => boolean,
): { onError: (error: Error) => void; onSuccess: () => void } {
  return {
    onError: (error) => {
      if (!isWait(error)) return outage.failed(error);
      outage.succeeded();
      wait.failed();
    },
    onSuccess: () => {
      outage.succeeded();
      wait.succeeded();
    },
  };
}

/**
 * Logs a condition that occurs at every start and ends without intervention: once at info level, as a warning after ten
 * seconds and every ten seconds from then on, and once when it is over.
 */
export function createWaitLog(
  logger: Logger,
  words: { waiting: string; stillWaiting: string; over: string },
  nowMs?: () => number,
): OutageLogger<void> {
  return new OutageLogger(
    {
      unavailable: (_facts, _latest, isNew) =>
        isNew ? logger.info(words.waiting) : logger.warn(words.stillWaiting),
      recovered: ({ outageSeconds }) => logger.info({ outageSeconds }, words.over),
    },
    nowMs,
  );
}
