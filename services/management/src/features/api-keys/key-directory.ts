import { setTimeout as sleep } from "node:timers/promises";
import { SharedRuns } from "@diegetic/collections";
import { SCOPES, type Scope } from "@diegetic/contracts";
import { type Database, Prisma, type Reader } from "@diegetic/database";
import type { InstallationClaim } from "@diegetic/hot-state";
import type { Caller, KeyDirectory } from "@diegetic/service-kit";
import { limitFromColumn, maxOwnLimit } from "../../core/shared/limit-column.ts";
import type { Clock } from "../../core/shared/time.ts";
import { findSession } from "../sessions/store.ts";
import { isInForce } from "./api-key.ts";

const USE_RECORDED_EVERY_MS = 60_000;
/** A lookup on a connection that hangs holds up later ones of its key no longer. */
const MAX_LOOKUP_WAIT_MS = 100;

/**
 * Reads keys and sessions from Postgres at every request, so that a revoked one is refused immediately; requests that wait
 * for the same key share a read that begins after they arrived. Records their use once a minute. Throws, as if Redis were
 * unavailable, while Redis belongs to another installation, because its data must not be used.
 */
export function createKeyDirectory(
  {
    database,
    reader,
    claim,
  }: { database: Database; reader: Pick<Reader, "query">; claim: Pick<InstallationClaim, "expectOwn"> },
  clock: Clock,
): KeyDirectory {
  const longestWait = () => sleep(MAX_LOOKUP_WAIT_MS, undefined, { ref: false });
  const keys = new SharedRuns<Caller | undefined>(longestWait);
  const sessions = new SharedRuns<Caller | undefined>(longestWait);
  return {
    async find(sha256Hex) {
      await claim.expectOwn();
      return keys.run(sha256Hex, () => findKey(database, reader, sha256Hex, clock));
    },
    async findSession(sha256Hex) {
      await claim.expectOwn();
      return sessions.run(sha256Hex, () => findSession(reader, sha256Hex, SCOPES, clock()));
    },
  };
}

/** The key in force, whose use it records once a minute. Undefined: unknown, expired or revoked. */
async function findKey(
  database: Database,
  reader: Pick<Reader, "query">,
  sha256Hex: string,
  clock: Clock,
): Promise<Caller | undefined> {
  const [row] = await reader.query<KeyRow>(keyStatement(sha256Hex));
  const nowMs = clock();
  if (row === undefined || !isInForce(row, nowMs)) return undefined;
  if (row.lastUsedAt === null || row.lastUsedAt.getTime() <= nowMs - USE_RECORDED_EVERY_MS) {
    await recordUse(database, row.id, nowMs);
  }
  return {
    id: row.id,
    accountId: row.accountId,
    scopes: row.scopes,
    rateLimitPerMinute: limitFromColumn(row.rateLimitPerMinute),
    rateLimitKeyId: row.rateLimitKeyId ?? row.id,
    accountLimits: { maxOwn: row.maxOwnLimit },
  };
}

interface KeyRow {
  id: string;
  accountId: string;
  scopes: Scope[];
  rateLimitPerMinute: number | null;
  rateLimitKeyId: string | null;
  maxOwnLimit: number | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

function keyStatement(sha256Hex: string): Prisma.Sql {
  return Prisma.sql`
    SELECT id, account_id AS "accountId", scopes::text[] AS scopes, rate_limit_per_minute AS "rateLimitPerMinute",
      rate_limit_key_id AS "rateLimitKeyId",
      ${maxOwnLimit("api_keys.account_id")} AS "maxOwnLimit",
      expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"
    FROM api_keys WHERE sha256 = ${sha256Hex}`;
}

async function recordUse(database: Database, keyId: string, nowMs: number): Promise<void> {
  const due = new Date(nowMs - USE_RECORDED_EVERY_MS);
  await database.apiKey.updateMany({
    where: { id: keyId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: due } }] },
    data: { lastUsedAt: new Date(nowMs) },
  });
}
