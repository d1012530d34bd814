import { type ApiKeyCreate, InvalidInput, KEY_RATE_LIMIT, type Scope } from "@diegetic/contracts";
import { forbidden, type RateLimit } from "@diegetic/service-kit";

/** Most keys of one account that are in force at the same time. */
export const MOST_KEYS = 100;

/** A key with one of them manages the keys of its account. */
export const MANAGING_SCOPES: readonly Scope[] = ["advertiser", "developer"];

/** What a new key is made with. */
export interface KeySettings {
  label: string;
  scopes: readonly Scope[];
  rateLimitPerMinute: RateLimit | null;
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

/**
 * The settings of a key that another key creates: never more than that one may do itself. Throws InvalidInput (422) for a
 * limit above its own, and 403 for a scope that it lacks.
 */
export function newSettings(request: ApiKeyCreate, caller: CallingKey): KeySettings {
  const own = caller.rateLimitPerMinute;
  const wanted = request.rate_limit_per_minute;
  if (wanted !== undefined && typeof own === "number" && wanted > own) {
    throw new InvalidInput(
      422,
      `rate_limit_per_minute must be a whole number from ${KEY_RATE_LIMIT.minimum} to ${own}, the limit of the calling key, but ${wanted} was sent`,
    );
  }
  const scopes = [...new Set(request.scopes ?? caller.scopes)];
  requireScopes(caller, scopes);
  // A key without any limit is the operator's to give: it is not inherited.
  return {
    label: request.label,
    scopes,
    rateLimitPerMinute: wanted ?? (typeof own === "number" ? own : null),
  };
}

/** Throws 403 unless the calling key has all the scopes: a key makes, rotates and revokes only what is not above it. */
export function requireScopes(caller: Pick<CallingKey, "scopes">, scopes: readonly Scope[]): void {
  const lacking = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length === 0) return;
  const names = lacking.map((scope) => `"${scope}"`).join(" and ");
  throw forbidden(`This API key lacks the scope ${names} of the key: use one that has it.`);
}

export function isInForce(key: Pick<ApiKeyRow, "expiresAt" | "revokedAt">, nowMs: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > nowMs);
}

/** How a key ends that another replaces: at once, or after the overlap unless it ends before that anyway. */
export function endOfRotated(
  { expiresAt }: Pick<ApiKeyRow, "expiresAt">,
  overlapSeconds: number,
  nowMs: number,
): { revokedAt: Date } | { expiresAt: Date } {
  // Revoked instead of expired: then it does not matter whether the clocks of the instances agree.
  if (overlapSeconds === 0) return { revokedAt: new Date(nowMs) };
  const endMs = nowMs + overlapSeconds * 1_000;
  return { expiresAt: new Date(Math.min(endMs, expiresAt?.getTime() ?? endMs)) };
}
