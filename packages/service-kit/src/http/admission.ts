import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RateLimit } from "../settings/settings.ts";
import { clientNetwork } from "./client-address.ts";
import type { ApiKey, EndpointGroup, KeyDirectory, RateLimiter, RateLimitVerdict } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { HttpError, Overloaded, unauthorized } from "./http-error.ts";
import { cookieValue } from "./session-cookie.ts";

/** Requests a minute from one address without a valid key (docs/behaviour.md#rate-limits). */
const LIMIT_WITHOUT_KEY_PER_MINUTE = 100;
/** What the headers say for a key without a limit (docs/behaviour.md#rate-limits). */
const UNLIMITED = 2_147_483_647;
const MINUTE_MS = 60_000;
const API_KEY = /^Bearer +([A-Za-z0-9_-]{1,200}) *$/i;

export interface AdmissionPolicy {
  keys: KeyDirectory;
  /** Name of the cookie that carries a session. */
  sessionCookie: string;
  rateLimiter: RateLimiter;
  rateLimits: Record<EndpointGroup, RateLimit>;
  /** All keys of an account together have this many times the limit of one. */
  rateLimitAccountFactor: number;
  nowMs: () => number;
  /** Whether as many requests run as may run at a time: the others are turned away before anything is done for them. */
  isFull: () => boolean;
  /** Where a request comes from, as far as the proxies in front are believed. */
  addressOf: (request: IncomingMessage) => string | undefined;
}

/**
 * The checks every request of the API passes first: whether there is room for it at all (503), key (401), then limit (429).
 * States the limit. Throws, or rejects; waits for nothing when key and limit are known here, as in the match tier.
 */
export function admitRequest(
  policy: AdmissionPolicy,
  group: EndpointGroup,
  exchange: Exchange,
): ApiKey | Promise<ApiKey> {
  const refuse = (error: unknown): never => {
    // A store that is unavailable has counted nothing: the headers then say what the window would begin with.
    exchange.limit ??= uncountedVerdict(policy.nowMs(), policy.rateLimits[group]);
    throw error;
  };
  try {
    if (policy.isFull()) throw new Overloaded();
    const { header, cookie, found } = findCaller(policy, exchange);
    if (!(found instanceof Promise) && found !== undefined) {
      const taken = takeQuotaOfKey(policy, group, exchange, found);
      return taken === undefined ? found : taken.then(() => found, refuse);
    }
    return checkSlowly(policy, group, exchange, { header, cookie, found }).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

interface FoundCaller {
  header: string | undefined;
  cookie: string | undefined;
  found: ReturnType<KeyDirectory["find"]>;
}

function findCaller(policy: AdmissionPolicy, exchange: Exchange): FoundCaller {
  const header = exchange.header("authorization");
  // A request with the header is one of a program: its cookies do not count.
  const cookie = header === undefined ? sessionCookieOf(policy, exchange) : undefined;
  const found =
    cookie === undefined
      ? findKey(policy.keys, header)
      : policy.keys.findSession(hash("sha256", cookie, "hex"));
  return { header, cookie, found };
}

/**
 * Looks the key or session up once more when the body has arrived: the headers may have come long before, and it may have
 * been revoked since. Throws, or rejects with, 401.
 */
export function findCallerAgain(policy: AdmissionPolicy, exchange: Exchange): ApiKey | Promise<ApiKey> {
  const { header, cookie, found } = findCaller(policy, exchange);
  const require = (key: ApiKey | undefined): ApiKey => {
    if (key === undefined) throw unauthorized(cookie === undefined ? keyProblem(header) : SESSION_ENDED);
    return key;
  };
  return found instanceof Promise ? found.then(require) : require(found);
}

const SESSION_ENDED = "The session has ended: sign in again.";

function sessionCookieOf(policy: AdmissionPolicy, exchange: Exchange): string | undefined {
  return cookieValue(exchange.header("cookie"), policy.sessionCookie);
}

/** The checks before what anyone may call: whether there is room for it (503), then the limit of the client's address (429). */
export async function admitAnyone(policy: AdmissionPolicy, exchange: Exchange): Promise<void> {
  try {
    if (policy.isFull()) throw new Overloaded();
    await takeQuotaOfAddress(policy, exchange);
  } catch (error) {
    exchange.limit ??= uncountedVerdict(policy.nowMs(), LIMIT_WITHOUT_KEY_PER_MINUTE);
    throw error;
  }
}

async function takeQuotaOfAddress(policy: AdmissionPolicy, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const bucket = `address:${clientNetwork(policy.addressOf(request), request.socket.remoteAddress)}`;
  await takeQuota(policy, exchange, bucket, LIMIT_WITHOUT_KEY_PER_MINUTE);
}

function takeQuotaOfKey(
  policy: AdmissionPolicy,
  group: EndpointGroup,
  exchange: Exchange,
  key: ApiKey,
): void | Promise<void> {
  exchange.accountId = key.accountId;
  const limit = key.rateLimitPerMinute ?? policy.rateLimits[group];
  const taken = takeQuota(policy, exchange, `${group}:${key.rateLimitKeyId}`, limit);
  // A key without a limit is the operator's to give, and takes nothing from the others.
  if (limit === "unlimited") return taken;
  // Only after the key's own: one that is used up must not use up its account.
  return taken === undefined
    ? takeQuotaOfAccount(policy, group, exchange, key)
    : taken.then(() => takeQuotaOfAccount(policy, group, exchange, key));
}

function takeQuotaOfAccount(
  policy: AdmissionPolicy,
  group: EndpointGroup,
  exchange: Exchange,
  { accountId, accountLimits }: ApiKey,
): void | Promise<void> {
  const usual = policy.rateLimits[group];
  if (usual === "unlimited") return;
  const limit = Math.max(usual, accountLimits.maxOwn ?? 0) * policy.rateLimitAccountFactor;
  return takeQuota(policy, exchange, `${group}:${accountId}`, limit, " for all keys of the account together");
}

/** With a directory that has to look the key up, or without a valid key. */
async function checkSlowly(
  policy: AdmissionPolicy,
  group: EndpointGroup,
  exchange: Exchange,
  { header, cookie, found }: FoundCaller,
): Promise<ApiKey> {
  const key = await found;
  if (key === undefined) {
    await takeQuotaOfAddress(policy, exchange);
    throw unauthorized(cookie === undefined ? keyProblem(header) : SESSION_ENDED);
  }
  await takeQuotaOfKey(policy, group, exchange, key);
  return key;
}

/** Which keys exist is told to nobody; whether one was sent, and in the right form, everybody can see. */
function keyProblem(header: string | undefined): string {
  if (header === undefined || header.trim() === "") {
    return "No API key was sent: send the header Authorization: Bearer <API_KEY>.";
  }
  return API_KEY.test(header)
    ? "The API key is unknown, expired or revoked: send one that is in force. A key that works can make one with POST /api-keys, and so can whoever runs the service."
    : "The Authorization header is malformed: send Authorization: Bearer <API_KEY>.";
}

function findKey(keys: KeyDirectory, header: string | undefined): ReturnType<KeyDirectory["find"]> {
  const text = header === undefined ? undefined : API_KEY.exec(header)?.[1];
  if (text === undefined) return undefined;
  return keys.find(hash("sha256", text, "hex"));
}

/**
 * Counts one request in a bucket and states the tightest verdict so far: at once when the rate limiter knows it at once.
 * Throws, or rejects with, 429 with `Retry-After` when the bucket is used up.
 * @param subject what the limit holds for, in the sentence of the 429; empty: the caller
 */
export function takeQuota(
  policy: Pick<AdmissionPolicy, "rateLimiter" | "nowMs">,
  exchange: Exchange,
  bucket: string,
  limit: RateLimit,
  subject = "",
): void | Promise<void> {
  const nowMs = policy.nowMs();
  const verdict =
    limit === "unlimited" ? unlimitedVerdict(nowMs) : policy.rateLimiter.take(bucket, limit, nowMs);
  if (verdict instanceof Promise) return verdict.then((known) => state(exchange, known, subject));
  state(exchange, verdict, subject);
}

function state(exchange: Exchange, verdict: RateLimitVerdict, subject: string): void {
  const stated = exchange.limit;
  if (stated === undefined || !verdict.allowed || verdict.remaining < stated.remaining)
    exchange.limit = verdict;
  if (verdict.allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil(verdict.windowLeftMs / 1_000));
  throw new HttpError(
    429,
    `Too many requests: at most ${verdict.limit} a minute are allowed${subject}. Wait for the seconds that Retry-After names.`,
    {
      "Retry-After": String(retryAfterSeconds),
    },
  );
}

function uncountedVerdict(nowMs: number, configured: RateLimit): RateLimitVerdict {
  const limit = configured === "unlimited" ? UNLIMITED : configured;
  return { ...unlimitedVerdict(nowMs), limit, remaining: limit };
}

function unlimitedVerdict(nowMs: number): RateLimitVerdict {
  const windowEndMs = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  return {
    allowed: true,
    limit: UNLIMITED,
    remaining: UNLIMITED,
    resetUnixSeconds: windowEndMs / 1_000,
    windowLeftMs: windowEndMs - nowMs,
  };
}
