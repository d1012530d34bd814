/** The part of `fetch` that the client uses. Replace it for a proxy, a browser bridge or tests. */
export type Transport = (url: string, request: TransportRequest) => Promise<TransportResponse>;

export interface TransportRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** An answer that was read to its end. */
export interface Answer {
  status: number;
  headers: TransportResponse["headers"];
  /** Undefined for an empty body or one that is not JSON. */
  body: unknown;
}

/**
 * Sends one request and reads its answer. Rejects when both do not happen within the time, even if the transport ignores
 * the signal.
 */
export async function exchange(
  transport: Transport,
  url: string,
  request: Omit<TransportRequest, "signal">,
  timeoutMs: number,
): Promise<Answer> {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no answer within ${timeoutMs} ms`);
      reject(error);
      abort.abort(error);
    }, timeoutMs);
  });
  const answered = async (): Promise<Answer> => {
    const response = await transport(url, { ...request, signal: abort.signal });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text) };
  };
  try {
    return await Promise.race([answered(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The service's `detail`, or a few words where something else answered. */
export function detailOf({ status, body }: Answer): string {
  const detail = (body as { detail?: unknown } | null | undefined)?.detail;
  return typeof detail === "string" ? detail : `unexpected answer ${status}`;
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${cause}`;
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
