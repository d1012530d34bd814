import type { Logger } from "../observability/logger.ts";
import { OutageLog } from "../observability/outage-log.ts";

/** Further detail texts share one counter. */
const MAX_ANSWERS = 50;

/** A request that was answered 503 because a store is unavailable. */
interface RefusedRequest {
  logger: Logger;
  method: string | undefined;
  err?: unknown;
}

/**
 * Logs refused requests, at most one line in ten seconds for each answer, and one line when they are served again: when an
 * endpoint that refused requests has served one, and none was refused for two seconds.
 */
export class RefusedRequestLog {
  readonly #logger: Logger;
  /** By answer: its log, and the endpoints that gave it. */
  readonly #answers = new Map<string, { log: OutageLog; endpoints: Set<string> }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(sentence: string, endpoint: string, { err, ...facts }: RefusedRequest): void {
    const isKnown = this.#answers.has(sentence) || this.#answers.size < MAX_ANSWERS;
    const answer = isKnown ? sentence : "others";
    const { log, endpoints } = this.#answers.get(answer) ?? this.#begin(answer);
    endpoints.add(endpoint);
    log.failed(err, { answer, ...facts });
  }

  served(method: string | undefined, route: string): void {
    if (this.#answers.size === 0) return;
    const endpoint = `${method} ${route}`;
    for (const { log, endpoints } of this.#answers.values()) if (endpoints.has(endpoint)) log.succeeded();
  }

  #begin(answer: string) {
    const log = new OutageLog(this.#logger.child({ answer }), {
      failing: "requests refused",
      recovered: "requests served again",
      countField: "refused",
      onChange: (isUp) => isUp && this.#answers.delete(answer),
    });
    const begun = { log, endpoints: new Set<string>() };
    this.#answers.set(answer, begun);
    return begun;
  }
}
