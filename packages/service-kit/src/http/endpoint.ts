import type { Scope } from "@diegetic/contracts";
import type { Logger } from "../observability/logger.ts";
import type { RateLimit } from "../settings/settings.ts";

export type EndpointGroup = "match" | "impressions" | "management" | "analytics";

/** A valid API key, as the directory of the service knows it. */
export interface ApiKey {
  keyId: string;
  accountId: string;
  scopes: readonly Scope[];
  /** Requests per minute in each group; null: the limits of the service. */
  rateLimitPerMinute: RateLimit | null;
}

/** Where keys are looked up. Unknown, expired and revoked keys are `undefined`; a directory that cannot tell throws. */
export interface KeyDirectory {
  find(sha256Hex: string): ApiKey | undefined | Promise<ApiKey | undefined>;
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
   * `none`: a body is ignored. `optional`: a missing one is read as `{}`. Default: `json` for POST, PUT and PATCH, else
   * `none`.
   */
  body?: "json" | "optional" | "none";
  handle(context: RequestContext): Promise<Answer>;
}
