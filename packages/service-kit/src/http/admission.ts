import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  HttpError,
  invalidKey,
  malformedKey,
  type NamedError,
  noKeySent,
  OF_ACCOUNT,
  type RateLimitGroup,
  sessionEnded,
  tooManyRequestsSentence,
  UNLIMITED_REQUESTS,
} from "@diegetic/contracts";
import type { RateLimit } from "../settings/settings.ts";
import { clientNetwork } from "./client-address.ts";
import type { Caller, KeyDirectory, RateLimiter, RateLimitVerdict } from "./endpoint.ts";
import type { Credential, Exchange } from "./exchange.ts";
import { Overloaded } from "./http-error.ts";
import type { RunningRequests } from "./running-requests.ts";
import { cookieValue } from "./session-cookie.ts";

/** Requests per minute from one address without a valid key (docs/behaviour.md#rate-limits). */
const LIMIT_WITHOUT_KEY_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
const API_KEY = /^Bearer +([A-Za-z0-9_-]{1,200}) *$/i;

export interface AdmissionPolicy {
  keys: KeyDirectory;
  /** Name of the cookie that carries a session. */
  sessionCookie: string;
  rateLimiter: RateLimiter;
  rateLimits: Record<RateLimitGroup, RateLimit>;
  /** The limit of all keys of an account together, as a multiple of the limit of one key. */
  rateLimitAccountFactor: number;
  nowMs: () => number;
  /** Decides which requests are answered 503. */
  running: RunningRequests;
  /** The client address of a request, derived from trusted proxies. */
  addressOf: (request: IncomingMessage) => string | undefined;
}

/**
 * The first checks of every API request: capacity (503), key (401), then limit (429). Sets `exchange.limit`. Throws or
 * rejects. Synchronous when key and limit are known in this process, as in the match tier.
 */
export function admitRequest(
  policy: AdmissionPolicy,
  group: RateLimitGroup,
  exchange: Exchange,
): Caller | Promise<Caller> {
  const refuse = (error: unknown): never => {
    // An unavailable store has counted nothing: the headers then report a fresh window.
    exchange.limit ??= uncountedVerdict(policy.nowMs(), policy.rateLimits[group]);
    throw error;
  };
  try {
    if (policy.running.isFullForAll) throw new Overloaded();
    const found = findCaller(policy, exchange);
    if (!(found instanceof Promise) && found !== undefined) {
      const counted = countForCaller(policy, group, exchange, found);
      return counted === undefined ? found : counted.then(() => found, refuse);
    }
    return checkSlowly(policy, group, exchange, found).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

function findCaller(policy: AdmissionPolicy, exchange: Exchange): ReturnType<KeyDirectory["find"]> {
  exchange.credential ??= readCredential(policy, exchange);
  const { kind, sha256Hex } = exchange.credential;
  if (sha256Hex === undefined) return undefined;
  return kind === "session" ? policy.keys.findSession(sha256Hex) : policy.keys.find(sha256Hex);
}

function readCredential(policy: AdmissionPolicy, exchange: Exchange): Credential {
  const header = exchange.header("authorization");
  // A request with the header is one of a program: its cookies do not count.
  const cookie =
    header === undefined ? cookieValue(exchange.header("cookie"), policy.sessionCookie) : undefined;
  if (cookie !== undefined) return { kind: "session", sha256Hex: hash("sha256", cookie, "hex") };
  const key = header === undefined ? undefined : API_KEY.exec(header)?.[1];
  return { kind: "key", sha256Hex: key === undefined ? undefined : hash("sha256", key, "hex") };
}

/**
 * Looks the key or session up again after the body has arrived: the headers may have arrived long before, and the key may
 * have been revoked since. Throws, or rejects with, 401.
 */
export function findCallerAgain(policy: AdmissionPolicy, exchange: Exchange): Caller | Promise<Caller> {
  const found = findCaller(policy, exchange);
  const require = (caller: Caller | undefined): Caller => {
    if (caller === undefined) throw unknownCaller(exchange);
    return caller;
  };
  return found instanceof Promise ? found.then(require) : require(found);
}

function unknownCaller(exchange: Exchange): HttpError {
  if (exchange.credential?.kind === "session") return sessionEnded.error();
  return keyProblem(exchange.header("authorization")).error();
}

/** The checks of endpoints without a key: capacity (503), then the limit of the client's address (429). */
export async function admitAnyone(policy: AdmissionPolicy, exchange: Exchange): Promise<void> {
  try {
    if (policy.running.isFull) throw new Overloaded();
    await countForAddress(policy, exchange);
  } catch (error) {
    exchange.limit ??= uncountedVerdict(policy.nowMs(), LIMIT_WITHOUT_KEY_PER_MINUTE);
    throw error;
  }
}

async function countForAddress(policy: AdmissionPolicy, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const network = clientNetwork(policy.addressOf(request), request.socket.remoteAddress);
  await countAgainst(policy, exchange, "address", network, LIMIT_WITHOUT_KEY_PER_MINUTE);
}

/** A caller's own limit: requests per minute to endpoints of the group. */
export function limitOfCaller(policy: AdmissionPolicy, group: RateLimitGroup, caller: Caller): RateLimit {
  return caller.rateLimitPerMinute ?? policy.rateLimits[group];
}

/** Counts one request against the limits of a caller and of its account. */
export function countForCaller(
  policy: AdmissionPolicy,
  group: RateLimitGroup,
  exchange: Exchange,
  caller: Caller,
): void | Promise<void> {
  exchange.accountId = caller.accountId;
  const limit = limitOfCaller(policy, group, caller);
  const counted = countAgainst(policy, exchange, group, caller.rateLimitKeyId, limit);
  // Only the operator can create a key without a limit; it does not count against the account.
  if (limit === "unlimited") return counted;
  // After the key's own limit, so that an exhausted key does not use up the limit of its account.
  return counted === undefined
    ? countForAccount(policy, group, exchange, caller)
    : counted.then(() => countForAccount(policy, group, exchange, caller));
}

function countForAccount(
  policy: AdmissionPolicy,
  group: RateLimitGroup,
  exchange: Exchange,
  { accountId, accountLimits }: Caller,
): void | Promise<void> {
  const usual = policy.rateLimits[group];
  if (usual === "unlimited") return;
  const limit = Math.max(usual, accountLimits.maxOwn ?? 0) * policy.rateLimitAccountFactor;
  return countAgainst(policy, exchange, group, accountId, limit, OF_ACCOUNT);
}

/** The slow path: the directory must look the key up, or the key is not valid. */
async function checkSlowly(
  policy: AdmissionPolicy,
  group: RateLimitGroup,
  exchange: Exchange,
  found: ReturnType<KeyDirectory["find"]>,
): Promise<Caller> {
  const caller = await found;
  if (caller === undefined) {
    await countForAddress(policy, exchange);
    throw unknownCaller(exchange);
  }
  await countForCaller(policy, group, exchange, caller);
  return caller;
}

/** Must not reveal which keys exist; may say whether a key was sent and well-formed. */
function keyProblem(header: string | undefined): NamedError<[]> {
  if (header === undefined || header.trim() === "") return noKeySent;
  return API_KEY.test(header) ? invalidKey : malformedKey;
}

/**
 * Counts one request in a bucket and keeps the tightest verdict in `exchange.limit`. Synchronous when the rate limiter is.
 * Throws, or rejects with, 429 with `Retry-After` when the bucket is exhausted.
 * @param subject whom the limit applies to, for the sentence of the 429; empty: the caller
 */
export function countAgainst(
  policy: Pick<AdmissionPolicy, "rateLimiter" | "nowMs">,
  exchange: Exchange,
  kind: string,
  id: string,
  limit: RateLimit,
  subject = "",
): void | Promise<void> {
  const nowMs = policy.nowMs();
  const verdict =
    limit === "unlimited" ? unlimitedVerdict(nowMs) : policy.rateLimiter.take(kind, id, limit, nowMs);
  if (verdict instanceof Promise) return verdict.then((known) => applyVerdict(exchange, known, subject));
  applyVerdict(exchange, verdict, subject);
}

/** Keeps the tightest verdict for the answer's headers. Throws 429 unless it allows the request. */
function applyVerdict(exchange: Exchange, verdict: RateLimitVerdict, subject: string): void {
  const tightest = exchange.limit;
  if (tightest === undefined || !verdict.allowed || verdict.remaining < tightest.remaining)
    exchange.limit = verdict;
  if (verdict.allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil(verdict.windowLeftMs / 1_000));
  throw new HttpError(429, tooManyRequestsSentence(verdict.limit, subject), {
    "Retry-After": String(retryAfterSeconds),
  });
}

/** Limits that let every request through while the store that counts them is unavailable. */
export function uncountedInOutage({ rateLimiter }: Pick<AdmissionPolicy, "rateLimiter">): RateLimiter {
  return {
    take: async (kind, id, limit, nowMs) => {
      try {
        return await rateLimiter.take(kind, id, limit, nowMs);
      } catch {
        return uncountedVerdict(nowMs, limit);
      }
    },
  };
}

function uncountedVerdict(nowMs: number, configured: RateLimit): RateLimitVerdict {
  const limit = configured === "unlimited" ? UNLIMITED_REQUESTS : configured;
  return { ...unlimitedVerdict(nowMs), limit, remaining: limit };
}

function unlimitedVerdict(nowMs: number): RateLimitVerdict {
  const windowEndMs = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  return {
    allowed: true,
    limit: UNLIMITED_REQUESTS,
    remaining: UNLIMITED_REQUESTS,
    resetUnixSeconds: windowEndMs / 1_000,
    windowLeftMs: windowEndMs - nowMs,
  };
}
