import { addressBelow } from "./address.ts";
import { ApiError, LateAnswer } from "./api-error.ts";
import type { AnswerOf, InputArguments, OperationKey } from "./operations.ts";

/** The path of the API. The server writes it into the page. */
export const API_BASE = document.querySelector<HTMLMetaElement>('meta[name="api-base"]')?.content ?? "/api";

interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** The same key again gets the first answer again. */
  idempotencyKey?: string;
  /** Another form of the answer, such as `text/csv`. */
  accept?: string;
  /** Default: `DEFAULT_TIMEOUT_MS`. */
  timeoutMs?: number;
  /** Whichever account the session acts for, not only the one that the page shows. */
  forAnyAccount?: boolean;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** For answers of any length, and for changes of much at once. */
export const LONG_TIMEOUT_MS = 180_000;

const ACCOUNT_HEADER = "Diegetic-Account";
let shownAccountId: string | undefined;

/** Every call names the account that the page shows: the server refuses it once the session acts for another. */
export function showAccount(accountId: string | undefined): void {
  shownAccountId = accountId;
}

let reportRefusal: (error: ApiError) => void = () => undefined;

/** Hears of every answer other than success, of every caller: of the end of the session, above all. */
export function onRefusal(listener: (error: ApiError) => void): void {
  reportRefusal = listener;
}

/** Calls an operation of the API as the signed-in account. Throws ApiError for every other answer than success. */
export async function call<Key extends OperationKey>(
  key: Key,
  ...[input, options]: [...InputArguments<Key>, options?: CallOptions]
): Promise<AnswerOf<Key>> {
  return callAny(key, input, options as CallOptions | undefined);
}

/** As `call`, for generic callers, whose types do not know the input of `Key`. */
export async function callAny<Key extends OperationKey>(
  key: Key,
  input?: object,
  options?: CallOptions,
): Promise<AnswerOf<Key>> {
  const response = await send(key, input, options);
  if (response.status === 204) return undefined as AnswerOf<Key>;
  const answer = await readJson<AnswerOf<Key>>(response);
  const isReplayed = response.headers.has("Idempotency-Replayed");
  if (isReplayed && typeof answer === "object" && answer !== null) replayedAnswers.add(answer);
  return answer;
}

const replayedAnswers = new WeakSet<object>();

/** Whether an earlier request under the same Idempotency-Key had this answer already: this one changed nothing. */
export function isReplayed(answer: object): boolean {
  return replayedAnswers.has(answer);
}

/** As `call`, but answers the response itself: for its headers, or for a form other than JSON. Its body: `readJson`, `readText`. */
export function callForResponse<Key extends OperationKey>(
  key: Key,
  ...[input, options]: [...InputArguments<Key>, options?: CallOptions]
): Promise<Response> {
  return send(key, input, options as CallOptions | undefined);
}

/** As `callForResponse`, for the callers of `callAny`. */
export async function send(
  key: OperationKey,
  input: object = {},
  options: CallOptions = {},
): Promise<Response> {
  const { path, query, body }: AnyInput = input;
  const [method = "GET", template = "/"] = key.split(" ");
  const headers: Record<string, string> = { Accept: options.accept ?? "application/json" };
  if (shownAccountId !== undefined && options.forAnyAccount !== true)
    headers[ACCOUNT_HEADER] = shownAccountId;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (options.idempotencyKey !== undefined) headers["Idempotency-Key"] = options.idempotencyKey;
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return request(`${API_BASE}${addressBelow(template, path, query)}`, init, timeoutMs, signal);
}

/** The body of a response. Throws ApiError where it does not come whole. */
export function readJson<Body>(response: Response): Promise<Body> {
  return response.json().catch(throwLost) as Promise<Body>;
}

/** As `readJson`, for a form other than JSON. */
export function readText(response: Response): Promise<string> {
  return response.text().catch(throwLost);
}

/** What the browser throws where no answer came, or not all of it. */
function throwLost(error: unknown): never {
  const name = error instanceof DOMException ? error.name : undefined;
  if (name === "AbortError") throw error;
  if (name === "TimeoutError") throw new LateAnswer();
  throw new ApiError(0, "The server cannot be reached. Check the connection, then try again.");
}

/** A request to the page's own server. Throws ApiError for every other answer than success. */
async function request(
  address: string,
  init: RequestInit,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(address, {
    credentials: "same-origin",
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    ...init,
  }).catch(throwLost);
  if (response.ok) {
    // The API answers no page: this is one of a network that asks its guests to sign in.
    return response.headers.get("Content-Type")?.startsWith("text/html") ? throwLost(undefined) : response;
  }
  const isOtherAccount = response.status === 409 && response.headers.has(ACCOUNT_HEADER);
  const sentence = await sentenceOf(response);
  const error = new ApiError(response.status, sentence, retryAfterOf(response), isOtherAccount);
  if (signal?.aborted !== true) reportRefusal(error);
  throw error;
}

async function sentenceOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body === "object" && body !== null) {
    if ("detail" in body && typeof body.detail === "string") return body.detail;
    // The answers of better-auth have another form.
    if ("message" in body && typeof body.message === "string") return body.message;
  }
  return `The server answered with status ${response.status}.`;
}

function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}
