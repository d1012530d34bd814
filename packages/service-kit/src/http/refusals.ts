import type { Logger } from "../observability/logger.ts";
import { OutageKinds } from "../observability/outage-log.ts";

/** Further detail texts share one counter. */
const MAX_ANSWERS = 50;

/** A request that was answered 503 because a store is unavailable. */
interface Refusal {
  logger: Logger;
  method: string | undefined;
  err?: unknown;
}

/**
 * Logs refused requests, at most one line in ten seconds for each answer, and one line when they are served again: when an
 * endpoint that refused requests has served one, and none was refused for two seconds.
 */
export class Refusals {
  readonly #logger: Logger;
  /** By answer: the endpoints that gave it. */
  readonly #endpoints = new Map<string, Set<string>>();
  readonly #kinds = new OutageKinds<Refusal>((answer) => ({
    unavailable: ({ failures, outageSeconds }, { logger, ...facts }) =>
      logger.warn({ answer, ...facts, refused: failures, outageSeconds }, "requests refused"),
    recovered: ({ failures, outageSeconds }) => {
      this.#endpoints.delete(answer);
      this.#logger.info({ answer, refused: failures, outageSeconds }, "requests served again");
    },
  }));

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  refused(sentence: string, endpoint: string, refusal: Refusal): void {
    const isKnown = this.#endpoints.has(sentence) || this.#endpoints.size < MAX_ANSWERS;
    const answer = isKnown ? sentence : "others";
    const endpoints = this.#endpoints.get(answer) ?? new Set();
    this.#endpoints.set(answer, endpoints.add(endpoint));
    this.#kinds.failed(answer, refusal);
  }

  served(method: string | undefined, route: string): void {
    if (this.#endpoints.size === 0) return;
    const endpoint = `${method} ${route}`;
    this.#kinds.succeeded((answer) => this.#endpoints.get(answer)?.has(endpoint) === true);
  }
}
