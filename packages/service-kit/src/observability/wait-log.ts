import type { Logger } from "./logger.ts";
import { OutageLogger } from "./outage-log.ts";

/**
 * Tells failures either as an outage or as a wait, by turns: whoever says what is waited for is not away.
 * @param isWait whether an error says that there is something to wait for
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
 * Tells of a condition that every start brings and that ends by itself, however often it is met: once as information, as a
 * warning when it has lasted ten seconds, and every ten seconds from then on, and once when it is over.
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
