import { Prisma } from "@diegetic/database";
import type { RateLimit } from "@diegetic/service-kit";

const UNLIMITED_COLUMN = -1;

/** A key's own limit as stored in `api_keys.rate_limit_per_minute`. */
export function limitToColumn(limit: RateLimit | null): number | null {
  return limit === "unlimited" ? UNLIMITED_COLUMN : limit;
}

/** Requests per minute in each endpoint group; null: the service's defaults. */
export function limitFromColumn(column: number | null): RateLimit | null {
  return column === UNLIMITED_COLUMN ? "unlimited" : column;
}

/** SQL for the highest limit that any key of the account has; NULL: no key has one. */
export function maxOwnLimit(accountColumn: "api_keys.account_id" | "s.account_id"): Prisma.Sql {
  return Prisma.sql`(
    SELECT max(own.rate_limit_per_minute) FROM api_keys AS own
    WHERE own.account_id = ${Prisma.raw(accountColumn)} AND own.rate_limit_per_minute > 0 AND own.revoked_at IS NULL)`;
}
