import { DiegeticError } from "./diegetic-error.ts";
import type { ApiCalls, ApiPages, IdempotentCallOptions } from "./generated/api.ts";
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

type Call = Record<string, unknown> & IdempotentCallOptions & { body?: unknown; cursor?: string };

/** One function per operation of the API. */
export function createApiCalls(send: Send, closed: AbortSignal): ApiCalls {
  const calls = Object.entries(routes).map(([name, route]) => [
    name,
    async (call: Call = {}) => (await perform(send, closed, name, route, call)).body,
  ]);
  return Object.fromEntries(calls) as ApiCalls;
}

/** One function per operation whose answer may come in pages. */
export function createApiPages(send: Send, closed: AbortSignal): ApiPages {
  const paged = Object.entries(routes).filter(([, { query }]) => query.includes("cursor"));
  const pages = paged.map(([name, route]) => [
    name,
    (call: Call = {}) => readPages(name, call, (page) => perform(send, closed, name, route, page)),
  ]);
  return Object.fromEntries(pages) as unknown as ApiPages;
}

async function* readPages(
  name: string,
  call: Call,
  read: (call: Call) => Promise<Answer>,
): AsyncGenerator<unknown, void> {
  const cursors = new Set<unknown>();
  let { cursor } = call;
  do {
    cursors.add(cursor);
    const answer = await read({ ...call, ...(cursor !== undefined && { cursor }) });
    yield answer.body;
    cursor = nextCursor(answer);
    if (cursor !== undefined && cursors.has(cursor)) {
      throw new DiegeticError(name, answer.status, `The cursor ${cursor} came twice: the pages do not end`);
    }
  } while (cursor !== undefined);
}

/** That of the header Link; undefined on the last page. */
function nextCursor({ headers }: Answer): string | undefined {
  const address = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
  return new URLSearchParams(address?.split("?")[1]).get("cursor") ?? undefined;
}

async function perform(
  send: Send,
  closed: AbortSignal,
  name: string,
  route: OperationRoute,
  call: Call,
): Promise<Answer> {
  const path = `${filledPath(route.path, call)}${queryOf(route, call)}`;
  const headers: Record<string, string> = {};
  // The key stays the same over retries, so that nothing is created twice.
  if (route.isIdempotent) headers["Idempotency-Key"] = call.idempotencyKey ?? globalThis.crypto.randomUUID();
  const endMs = performance.now() + (call.retryForMs ?? 0);
  let mayBeDeleted = false;
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
    if (answer !== undefined && isComplete(answer)) return answer;
    if (answer?.status === 404 && isFinal(answer) && mayBeDeleted) return { ...answer, body: undefined };
    // An attempt without a usable answer may have taken effect.
    mayBeDeleted ||= route.method === "DELETE" && (answer === undefined || answer.status >= 500);
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
