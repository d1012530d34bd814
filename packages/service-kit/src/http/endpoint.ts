import type { MemberRole, Scope } from "@diegetic/contracts";
import type { Logger } from "../observability/logger.ts";
import type { RateLimit } from "../settings/settings.ts";

export type EndpointGroup = "match" | "impressions" | "management" | "analytics" | "explain";

/** A valid API key or session, as the directory of the service knows it. */
export interface ApiKey {
  /** `key_…`, or `ses_…` of a session. */
  keyId: string;
  accountId: string;
  scopes: readonly Scope[];
  /** Requests per minute in each group; null: the limits of the service. */
  rateLimitPerMinute: RateLimit | null;
  /** Names the window that its requests count in: keys that replace each other share one. */
  rateLimitKeyId: string;
  /** Of its account. */
  accountLimits: AccountLimits;
  /** Who is signed in; undefined: the caller is an API key. */
  session?: SessionUser;
}

/** What the limit of all keys of an account together follows from. */
export interface AccountLimits {
  /** Largest number of requests per minute that one of the keys carries itself; null: none carries one. */
  readonly maxOwn: number | null;
}

export interface SessionUser {
  userId: string;
  /** In the account that the session acts for. */
  role: MemberRole;
  /** Whether the user runs the installation. Known to management alone. */
  isOperator?: boolean;
}

/** Where keys and sessions are looked up. Unknown, expired and revoked ones are `undefined`; a directory that cannot tell throws. */
export interface KeyDirectory {
  find(sha256Hex: string): ApiKey | undefined | Promise<ApiKey | undefined>;
  /** By the SHA-256 of the session cookie's value. */
  findSession(sha256Hex: string): ApiKey | undefined | Promise<ApiKey | undefined>;
}

export interface RateLimitVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  resetUnixSeconds: number;
  /** How long that is from now, by the clock that counts the windows. */
  windowLeftMs: number;
}

/** Fixed one-minute windows shared by all instances. */
export interface RateLimiter {
  take(bucket: string, limitPerMinute: number, nowMs: number): RateLimitVerdict | Promise<RateLimitVerdict>;
}

export interface Answer {
  status: number;
  /** Sent as JSON; left out: no body. */
  body?: unknown;
  /** Sent as it is, in UTF-8, in place of JSON. */
  text?: { mediaType: string; content: string };
  headers?: Record<string, string>;
  /** Values of `Set-Cookie`, each a header of its own. */
  cookies?: readonly string[];
}

/** What a handler knows of its request. */
export interface RequestContext {
  requestId: string;
  accountId: string;
  key: ApiKey;
  /** Named parts of the path, decoded. A part that the path does not have throws. */
  param(name: string): string;
  query: URLSearchParams;
  clientAddress: string;
  /** What clients without a key are counted by: the IPv4 address, or the /64 network of an IPv6 address. */
  clientNetwork: string;
  /** A header of the request. @param name in lower case */
  header(name: string): string | undefined;
  logger: Logger;
  /** Which of the offered media types the client likes best (`Accept`); the first one when it names none of them. */
  preferredMediaType<Type extends string>(offered: readonly [Type, ...Type[]]): Type;
  /** The header `Idempotency-Key`, or null; reading an empty one throws 400, one over 255 characters 422. */
  readonly idempotencyKey: string | null;
  /** Method and full path: what an idempotency key is bound to besides the account. */
  operation: string;
  /** The body, parsed and validated: throws 400 or 422 with a sentence. */
  body<T>(validate: (value: unknown) => T): T;
  /** Counts the request against one more limit; throws, or rejects with, 429 when it is used up. */
  takeQuota(bucket: string, limit: RateLimit): void | Promise<void>;
}

/**
 * One method of one path. Before `handle` runs, key, limit, scope, size and media type have been checked, so that it
 * reads: resource of the path, `context.body(…)`, resource of the body, conflict.
 */
export interface Endpoint {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base path, in Express syntax: `/campaigns/:campaignId`. */
  path: string;
  group: EndpointGroup;
  /** What the key must be allowed; of several any one. */
  scope: Scope | readonly Scope[];
  /**
   * `session`: signed-in users alone. `anyone`: neither key nor session is asked for; the handler must not read `accountId` or
   * `key`. Default: keys and sessions.
   */
  caller?: "session" | "anyone" | undefined;
  /** The least role that a session needs. Default: `manager`. */
  role?: MemberRole;
  /**
   * `none`: a body is ignored. `optional`: a missing one is read as `{}`. Default: `json` for POST, PUT and PATCH, else
   * `none`.
   */
  body?: "json" | "optional" | "none";
  handle(context: RequestContext): Promise<Answer>;
}
