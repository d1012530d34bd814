import {
  type ApiKeyCreate,
  apiKeyOperations,
  limitBeyondCaller,
  type RateLimitGroup,
  rateLimitBeyondCaller,
  type Scope,
  scopeBeyondCaller,
} from "@diegetic/contracts";
import type { RateLimit } from "@diegetic/service-kit";

/** A key with one of these scopes manages the keys of its account. */
export const MANAGING_SCOPES: readonly Scope[] = ["advertiser", "developer"];

/** Settings of a new key. */
export interface KeySettings {
  label: string;
  scopes: readonly Scope[];
  rateLimitPerMinute: RateLimit | null;
  /** The key whose rate-limit window the new key continues; absent: a new window. */
  rateLimitKeyId?: string | null;
  /** Absent: no user. */
  createdByUserId?: string | null;
}

export interface ApiKeyRow extends KeySettings {
  id: string;
  accountId: string;
  prefix: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

type CallingKey = Pick<KeySettings, "scopes" | "rateLimitPerMinute">;

/** Requests per minute of keys without a limit of their own. */
export type DefaultLimits = Record<RateLimitGroup, RateLimit>;

/**
 * The settings of a key that another key creates; never more than the caller's. Throws InvalidInput (422) for a limit
 * above the caller's in a group that the new key can use, and 403 for a scope that the caller lacks.
 */
export function settingsOfNewKey(
  request: ApiKeyCreate,
  caller: CallingKey,
  defaults: DefaultLimits,
): KeySettings {
  const own = caller.rateLimitPerMinute;
  const wanted = request.rate_limit_per_minute;
  const scopes = [...new Set(request.scopes ?? caller.scopes)];
  requireScopes(caller, scopes);
  if (wanted !== undefined) requireOwnLimit(wanted, scopes, own, defaults);
  // Only the operator grants keys without any limit, so this is not inherited.
  return {
    label: request.label,
    scopes,
    rateLimitPerMinute: wanted ?? (typeof own === "number" ? own : null),
  };
}

function requireOwnLimit(
  wanted: number,
  scopes: readonly Scope[],
  own: RateLimit | null,
  defaults: DefaultLimits,
): void {
  const limits = groupsOf(scopes).map((group) => ({ group, limit: limitIn(group, own, defaults) }));
  const [tightest] = limits.sort((a, b) => a.limit - b.limit || a.group.localeCompare(b.group));
  if (tightest === undefined || wanted <= tightest.limit) return;
  throw rateLimitBeyondCaller.error(tightest.limit, tightest.group, wanted);
}

/** Requests per minute in a group, of a key with this limit of its own. */
function limitIn(group: RateLimitGroup, own: RateLimit | null, defaults: DefaultLimits): number {
  const limit = own ?? defaults[group];
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : limit;
}

/** The endpoint groups that a key with these scopes can use. */
function groupsOf(scopes: readonly Scope[]): RateLimitGroup[] {
  const usable = apiKeyOperations().filter(({ scope }) => [scope].flat().some((one) => scopes.includes(one)));
  return [...new Set(usable.map(({ group }) => group))];
}

/**
 * Throws 403 unless the calling key has all the scopes: a key creates, rotates and revokes only keys with at most its
 * own scopes.
 */
export function requireScopes(caller: Pick<CallingKey, "scopes">, scopes: readonly Scope[]): void {
  const lacking = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length === 0) return;
  throw scopeBeyondCaller.error(lacking);
}

/**
 * Throws 403 when a key may make more requests than the calling key, in a group that it can use: the caller receives the new
 * key. Owners' sessions may rotate any key.
 */
export function requireLimitWithinCaller(
  caller: Pick<CallingKey, "rateLimitPerMinute"> & { session?: unknown },
  { scopes, rateLimitPerMinute }: CallingKey,
  defaults: DefaultLimits,
): void {
  if (caller.session !== undefined) return;
  const exceeds = groupsOf(scopes).some(
    (group) =>
      limitIn(group, rateLimitPerMinute, defaults) > limitIn(group, caller.rateLimitPerMinute, defaults),
  );
  if (exceeds) throw limitBeyondCaller.error();
}

/** The expiry of a suspended key, which may be in force again: no rotation sets this time. */
export const SUSPENDED_EXPIRY = new Date(0);

export function isInForce(key: Pick<ApiKeyRow, "expiresAt" | "revokedAt">, nowMs: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > nowMs);
}

/** How a replaced key ends: immediately, or after the overlap if it does not expire earlier. */
export function endOfRotated(
  { expiresAt }: Pick<ApiKeyRow, "expiresAt">,
  overlapSeconds: number,
  nowMs: number,
): { revokedAt: Date } | { expiresAt: Date } {
  // Revoked instead of expired, so that clock differences between instances do not matter.
  if (overlapSeconds === 0) return { revokedAt: new Date(nowMs) };
  const endMs = nowMs + overlapSeconds * 1_000;
  return { expiresAt: new Date(Math.min(endMs, expiresAt?.getTime() ?? endMs)) };
}
