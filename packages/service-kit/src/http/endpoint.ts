import type { MemberRole, Operation, Scope } from "@diegetic/contracts";
import type { RateLimit } from "../settings/settings.ts";

/** A valid API key or session, as the key directory knows it. */
export interface Caller {
  /** `key_…` or `ses_…`. */
  id: string;
  accountId: string;
  scopes: readonly Scope[];
  /** Requests per minute in each group; null: the limits of the service. */
  rateLimitPerMinute: RateLimit | null;
  /** Key of its rate limit window; keys that replace each other share one. */
  rateLimitKeyId: string;
  accountLimits: AccountLimits;
  /** The signed-in user; undefined: the caller uses an API key. */
  session?: SessionUser;
}

/** The base of the limit of all keys of an account together. */
export interface AccountLimits {
  /** Maximum of the keys' own limits, in requests per minute; null: no key has its own limit. */
  readonly maxOwn: number | null;
}

export interface SessionUser {
  userId: string;
  /** The role in the account that the session acts for. */
  role: MemberRole;
  /** Whether the user is the operator. Only management knows. */
  isOperator?: boolean;
}

/** Looks up keys and sessions. Returns undefined for unknown, expired and revoked ones; throws when it cannot tell. */
export interface KeyDirectory {
  find(sha256Hex: string): Caller | undefined | Promise<Caller | undefined>;
  /** By the SHA-256 of the session cookie's value. */
  findSession(sha256Hex: string): Caller | undefined | Promise<Caller | undefined>;
}

export interface RateLimitVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  resetUnixSeconds: number;
  /** Time until then, by the clock that counts the windows. */
  windowLeftMs: number;
}

/** Fixed one-minute windows shared by all instances. */
export interface RateLimiter {
  /** @param kind one of few; with the id, it names the bucket */
  take(
    kind: string,
    id: string,
    limitPerMinute: number,
    nowMs: number,
  ): RateLimitVerdict | Promise<RateLimitVerdict>;
}

export interface Answer {
  status: number;
  /** Sent as JSON; absent: no body. */
  body?: unknown;
  /** Sent unchanged in UTF-8 instead of JSON. */
  text?: { mediaType: string; content: string };
  headers?: Record<string, string>;
  /** Values of `Set-Cookie`; each becomes a separate header. */
  cookies?: readonly string[];
}

/** The request as a handler sees it. */
export interface RequestContext {
  accountId: string;
  caller: Caller;
  /** Path parameters, decoded. Throws for an unknown parameter. */
  param(name: string): string;
  query: URLSearchParams;
  clientAddress: string;
  /** The unit of limits for clients without a key: the IPv4 address, or the /64 network of an IPv6 address. */
  clientNetwork: string;
  /** A request header. @param name in lower case */
  header(name: string): string | undefined;
  /** The offered media type that the client prefers (`Accept`); the first one when it accepts none of them. */
  preferredMediaType<Type extends string>(offered: readonly [Type, ...Type[]]): Type;
  /** The header `Idempotency-Key`, or null; reading an empty one throws 400, one over 255 characters 422. */
  readonly idempotencyKey: string | null;
  /** Method and full path; with the account, the scope of an idempotency key. */
  operation: string;
  /** Parses and validates the body; throws 400 or 422 with a sentence. */
  body<T>(validate: (value: unknown) => T): T;
  /**
   * Counts the request as this many, with those as which it has counted, against the limits of its key and account; rejects
   * with 429 when one is exhausted, and with 422 when a minute of the key is never enough. Undefined: it has counted as many.
   */
  countAs(requests: number): Promise<void> | undefined;
  /**
   * Counts the request against a further limit; throws, or rejects with, 429 when it is exhausted.
   * @param kind one of few; with the id, it names what the limit is of
   * @param subject whose limit it is, for the sentence of the 429; empty: the caller's
   */
  countAgainst(kind: string, id: string, limit: RateLimit, subject?: string): void | Promise<void>;
}

/** An operation with its handler: one method of one path. */
export interface Endpoint
  extends Pick<
    Operation,
    "method" | "group" | "scope" | "callers" | "bodyBytesPerRequest" | "answersWithoutLimits"
  > {
  /** Below the base path, in Express syntax: `/campaigns/:campaignId`. */
  path: string;
  /** The minimum role of a session. */
  role: MemberRole;
  /** `none`: ignores a body. `optional`: reads a missing body as `{}`. */
  body: "json" | "optional" | "none";
  /**
   * Key, limit, scope, size and media type are checked before. Must check in this order: resource of the path,
   * `context.body(…)`, resource of the body, conflict. For `anyone`, must not read `accountId` or `caller`.
   */
  handle(context: RequestContext): Promise<Answer>;
}
