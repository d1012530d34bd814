import { ApiError } from "../../api/api-error.ts";
import { API_BASE } from "../../api/call.ts";
import type { AnswerOf, BodyOf } from "../../api/operations.ts";

export type Ad = NonNullable<AnswerOf<"POST /match">>;
export type Receipt = AnswerOf<"POST /impressions">;

/** One request of the game server, as the panel shows it. */
export interface Exchange {
  request: string;
  sent: unknown;
  /** 0: there was no answer. */
  status: number;
  received: unknown;
  /** The coarse reason of a 204. */
  reason: string | undefined;
  milliseconds: number;
}

/** Longer than a game waits: a person waits here. */
const TIMEOUT_MS = 10_000;

/** What a game server does, with the key of the demo game: a key, two calls, nothing else. */
export async function serve(
  path: "/match" | "/impressions",
  apiKey: string,
  body: BodyOf<"POST /match"> | BodyOf<"POST /impressions">,
): Promise<Exchange> {
  const startedMs = performance.now();
  const response = await fetch(`${API_BASE}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${apiKey}` },
    credentials: "omit",
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  const received = response?.status === 204 ? undefined : await response?.json().catch(() => undefined);
  // The body of a success.
  const isCutOff = response?.ok === true && response.status !== 204 && received === undefined;
  return {
    request: `POST ${path}`,
    sent: body,
    status: response === undefined || isCutOff ? 0 : response.status,
    received,
    reason: response?.headers.get("X-No-Match-Reason") ?? undefined,
    milliseconds: performance.now() - startedMs,
  };
}

/** The body of a success. Throws the API's sentence for everything else. */
export function bodyOf<Body>(exchange: Exchange): Body | undefined {
  if (exchange.status === 204) return undefined;
  if (exchange.status >= 200 && exchange.status < 300) return exchange.received as Body;
  const { detail } = (exchange.received ?? {}) as { detail?: string };
  throw new ApiError(exchange.status, detail ?? "The game server gets no answer.");
}
