import { Prisma } from "@diegetic/database";
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

/** SQL for the largest limit that a key of the account carries itself: NULL where none does. */
export function maxOwnLimit(accountColumn: "api_keys.account_id" | "s.account_id"): Prisma.Sql {
  return Prisma.sql`(
    SELECT max(own.rate_limit_per_minute) FROM api_keys AS own
    WHERE own.account_id = ${Prisma.raw(accountColumn)} AND own.rate_limit_per_minute > 0 AND own.revoked_at IS NULL)`;
}
