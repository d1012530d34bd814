import type { Logger } from "./logger.ts";
import { OutageTeller } from "./outage-log.ts";

/**
 * Tells failures either as an outage or as a wait, by turns: whoever says what is waited for is not away.
 * @param isWait whether an error says that there is something to wait for
 */
export function toldAsOutageOrWait(
  outage: OutageTeller,
  wait: OutageTeller<void>,
  isWait: (error: Error) => boolean,
): { onError: (error: Error) => void; onWorks: () => void } {
  return {
    onError: (error) => {
      if (!isWait(error)) return outage.failed(error);
      outage.works();
      wait.failed();
    },
    onWorks: () => {
      outage.works();
      wait.works();
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
