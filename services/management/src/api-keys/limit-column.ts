import type { RateLimit } from "@diegetic/service-kit";

const UNLIMITED_COLUMN = -1;

/** A key's own limit as `api_keys.rate_limit_per_minute` holds it. */
export function limitToColumn(limit: RateLimit | null): number | null {
  return limit === "unlimited" ? UNLIMITED_COLUMN : limit;
}

/** Requests per minute in each endpoint group; null: the defaults of the service. */
export function limitFromColumn(column: number | null): RateLimit | null {
  return column === UNLIMITED_COLUMN ? "unlimited" : column;
}
