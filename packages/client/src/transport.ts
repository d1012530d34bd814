/** Beyond it, a timer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The part of `fetch` that the client uses. Replace it for a proxy, a browser bridge or tests. */
export type Transport = (url: string, request: TransportRequest) => Promise<TransportResponse>;

export interface TransportRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  /** A followed redirect would turn a POST into a GET. */
  redirect: "manual";
  signal: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** A stream of bytes, as `fetch` has it: read in place of `text`, and only up to the limit of an answer. */
  readonly body?: unknown;
  text(): Promise<string>;
}

/** An answer that was read to its end. */
export interface Answer {
  status: number;
  headers: TransportResponse["headers"];
  /** Undefined for an empty body or one that is not JSON. */
  body: unknown;
}

export interface ExchangeLimits {
  timeoutMs: number;
  /** Of the answer's body, decompressed. */
  maxBytes: number;
}

/**
 * Sends one request and reads its answer. Rejects when both do not happen within the time, or `cancelled` comes first, even
 * if the transport ignores the signal. Rejects when the answer is larger than the limit.
 */
export async function exchange(
  transport: Transport,
  url: string,
  request: Omit<TransportRequest, "signal" | "redirect">,
  { timeoutMs, maxBytes }: ExchangeLimits,
  cancelled?: AbortSignal,
): Promise<Answer> {
  const abort = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    abort.signal.addEventListener("abort", () => reject(abort.signal.reason));
  });
  const timeout = () => abort.abort(new Error(`timeout after ${timeoutMs} ms`));
  const timer = setTimeout(timeout, Math.min(timeoutMs, MAX_TIMER_MS));
  const cancel = () => abort.abort(new Error("cancelled"));
  cancelled?.addEventListener("abort", cancel);
  const answered = async (): Promise<Answer> => {
    const response = await transport(url, { ...request, redirect: "manual", signal: abort.signal });
    const text = await readText(response, maxBytes);
    return { status: response.status, headers: response.headers, body: parsed(text) };
  };
  try {
    return await Promise.race([answered(), aborted]);
  } catch (error) {
    throw noAnswer(url, error);
  } finally {
    clearTimeout(timer);
    cancelled?.removeEventListener("abort", cancel);
  }
}

/** Stops reading beyond the limit, which closes the connection. Without a stream, the transport has read everything. */
async function readText(response: TransportResponse, maxBytes: number): Promise<string> {
  const tooLarge = () => new Error(`the answer is larger than ${maxBytes} bytes`);
  if (!isStream(response.body)) {
    const text = await response.text();
    if (text.length > maxBytes) throw tooLarge();
    return text;
  }
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

export function noAnswer(url: string, cause: unknown): Error {
  return new Error(`No answer from ${url}`, { cause });
}

/** The service's sentence: every error of it has one. Undefined where something else answered. */
export function serviceDetail({ body }: Answer): string | undefined {
  const detail = (body as { detail?: unknown } | null | undefined)?.detail;
  return typeof detail === "string" ? detail : undefined;
}

/** The service's `detail`, or a few words where something else answered: a redirect names its target. */
export function detailOf(answer: Answer): string {
  const location = answer.headers.get("location");
  const target = location === null ? "" : `: redirects to ${location}`;
  return serviceDetail(answer) ?? `Unexpected answer ${answer.status}${target}`;
}

/** With its causes: that of `fetch` alone says why there is no connection. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message || (error as { code?: string }).code || error.name;
  return error.cause === undefined ? message : `${message}: ${messageOf(error.cause)}`;
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
