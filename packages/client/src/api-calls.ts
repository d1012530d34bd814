import { DiegeticError } from "./diegetic-error.ts";
import type { ApiCalls, IdempotentCallOptions } from "./generated/api.ts";
import { type OperationRoute, routes } from "./generated/routes.ts";
import { isFinal, retryAfterMs, retryDelayMs } from "./retry.ts";
import { type Answer, detailOf, type ExchangeLimits, messageOf } from "./transport.ts";

const CALL_TIMEOUT_MS = 30_000;
/** Longer lists are read in pages. */
const MAX_CALL_ANSWER_BYTES = 32 * 1_024 * 1_024;

export type Send = (
  method: string,
  path: string,
  options: ExchangeLimits & { body?: unknown; headers?: Record<string, string>; cancelled?: AbortSignal },
) => Promise<Answer>;

type Call = Record<string, unknown> & IdempotentCallOptions & { body?: unknown };

/** One function per operation of the API. */
export function createApiCalls(send: Send, closed: AbortSignal): ApiCalls {
  const calls = Object.entries(routes).map(([name, route]) => [
    name,
    (call: Call = {}) => perform(send, closed, name, route, call),
  ]);
  return Object.fromEntries(calls) as ApiCalls;
}

async function perform(
  send: Send,
  closed: AbortSignal,
  name: string,
  route: OperationRoute,
  call: Call,
): Promise<unknown> {
  const path = `${filledPath(route.path, call)}${queryOf(route, call)}`;
  const headers: Record<string, string> = {};
  // The key stays the same over retries, so that nothing is created twice.
  if (route.isIdempotent) headers["Idempotency-Key"] = call.idempotencyKey ?? globalThis.crypto.randomUUID();
  const endMs = performance.now() + (call.retryForMs ?? 0);
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await send(route.method, path, {
      body: call.body,
      headers,
      timeoutMs: CALL_TIMEOUT_MS,
      maxBytes: MAX_CALL_ANSWER_BYTES,
    }).then(
      (answer) => ({ answer, error: undefined }),
      (error: unknown) => ({ answer: undefined, error }),
    );
    const { answer, error } = outcome;
    if (answer !== undefined && isComplete(answer)) return answer.body;
    const delayMs = retryDelayMs(attempts, retryAfterMs(answer?.headers));
    const canRepeat = !closed.aborted && performance.now() + delayMs < endMs;
    if ((answer !== undefined && isFinal(answer)) || !canRepeat) {
      const detail = answer === undefined ? messageOf(error) : detailOf(answer);
      throw new DiegeticError(name, answer?.status, detail, { cause: error });
    }
    await pause(delayMs, closed);
  }
}

/** Ends early when the client is closed. */
function pause(delayMs: number, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      closed.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, delayMs);
    closed.addEventListener("abort", finish);
  });
}

/** A success whose body is not JSON comes from something between, such as a proxy's page. */
function isComplete({ status, body }: Answer): boolean {
  return status === 204 || (status >= 200 && status < 300 && body !== undefined);
}

function filledPath(path: string, call: Call): string {
  return path.replace(/\{([a-z_]+)\}/g, (_braces, name: string) => encodeURIComponent(String(call[name])));
}

function queryOf(route: OperationRoute, call: Call): string {
  const query = new URLSearchParams();
  for (const name of route.query) if (call[name] !== undefined) query.set(name, String(call[name]));
  return query.size === 0 ? "" : `?${query}`;
}
