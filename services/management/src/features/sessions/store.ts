import { entityName, type MemberRole } from "@diegetic/contracts";
import { DAY_MS, type Database, Prisma, type Reader, type Transaction } from "@diegetic/database";
import type { Caller } from "@diegetic/service-kit";
import type { OldRow } from "../../core/publishing/old-rows.ts";
import { maxOwnLimit } from "../../core/shared/limit-column.ts";

/** Maximum active sessions per user: the oldest are ended. */
const MAX_SESSIONS = 100;
/** How long an ended session is kept. */
const KEPT_AFTER_EXPIRY_MS = 30 * DAY_MS;
const ROWS_PER_ROUND = 500;

interface SessionRow {
  id: string;
  userId: string;
  accountId: string;
  role: MemberRole;
  isOperator: boolean;
  maxOwnLimit: number | null;
  expiresAt: Date;
  revokedAt: Date | null;
}

/**
 * The session of a cookie, with the user's current role. Undefined: unknown, expired, ended, or the user is no longer a
 * member.
 */
export async function findSession(
  reader: Pick<Reader, "query">,
  sha256Hex: string,
  scopes: Caller["scopes"],
  nowMs: number,
): Promise<Caller | undefined> {
  const [row] = await reader.query<SessionRow>(Prisma.sql`
    SELECT s.id, s.user_id AS "userId", s.account_id AS "accountId", m.role::text AS role,
      u.is_operator AS "isOperator", ${maxOwnLimit("s.account_id")} AS "maxOwnLimit", s.expires_at AS "expiresAt", s.revoked_at AS "revokedAt"
    FROM account_sessions s
      JOIN account_members m ON m.account_id = s.account_id AND m.user_id = s.user_id
      JOIN users u ON u.id = s.user_id
    WHERE s.sha256 = ${sha256Hex}`);
  if (row === undefined || row.revokedAt !== null || row.expiresAt.getTime() <= nowMs) return undefined;
  const { id, accountId, userId, role, isOperator } = row;
  return {
    id,
    accountId,
    scopes,
    rateLimitPerMinute: null,
    rateLimitKeyId: id,
    accountLimits: { maxOwn: row.maxOwnLimit },
    session: { userId, role, isOperator },
  };
}

/** A query for the user's active sessions, newest first. */
const inForce = (userId: string, nowMs: number) => ({
  where: { userId, revokedAt: null, expiresAt: { gt: new Date(nowMs) } },
  orderBy: [{ createdAt: "desc" as const }, { id: "desc" as const }],
});

/** The user's active sessions, newest first. */
export function sessionsInForce(database: Database, userId: string, nowMs: number) {
  return database.accountSession.findMany({
    ...inForce(userId, nowMs),
    take: MAX_SESSIONS,
    include: { account: true },
  });
}

/** Ends the user's oldest sessions beyond the maximum. */
export async function endOldestSessions(database: Database, userId: string, nowMs: number): Promise<void> {
  const extra = await database.accountSession.findMany({
    ...inForce(userId, nowMs),
    skip: MAX_SESSIONS,
    take: ROWS_PER_ROUND,
    select: { id: true },
  });
  if (extra.length > 0) await endSessions(database, userId, extra);
}

/** Ends sessions of the user: a trigger also ends the rows that admit requests, in the same commit. */
export async function endSessions(
  database: Database,
  userId: string,
  sessions: readonly { id: string }[],
): Promise<void> {
  const ids = sessions.map(({ id }) => id);
  await database.userSession.deleteMany({ where: { userId, id: { in: ids } } });
}

/** Changes the account or the role of sessions; both must be published. Returns the ids of the active ones. */
export async function moveSessions(
  transaction: Transaction,
  where: { userId: string; accountId: string } | { id: string },
  accountId: string,
): Promise<string[]> {
  const sessions = await transaction.accountSession.findMany({
    where: { ...where, revokedAt: null },
    select: { id: true },
    orderBy: { id: "asc" },
  });
  const ids = sessions.map(({ id }) => id);
  await transaction.accountSession.updateMany({
    where: { id: { in: ids } },
    data: { accountId, version: { increment: 1 } },
  });
  return ids;
}

/** Ends expired sessions, so that the snapshot drops them; a bounded number per call. */
export async function endExpiredSessions(database: Database, nowMs: number): Promise<void> {
  await database.$executeRaw`
    DELETE FROM user_sessions WHERE id IN (
      SELECT id FROM user_sessions WHERE expires_at <= ${new Date(nowMs)}
      ORDER BY expires_at LIMIT ${ROWS_PER_ROUND})`;
}

/** Sessions that expired so long ago that nothing needs to know them; a bounded number. */
export async function findOldSessions(database: Database, nowMs: number): Promise<OldRow[]> {
  const before = new Date(nowMs - KEPT_AFTER_EXPIRY_MS);
  const rows = await database.$queryRaw<{ id: string; sha256: string; rowVersion: number }[]>`
    SELECT id, sha256, version AS "rowVersion" FROM account_sessions
    WHERE expires_at <= ${before} AND revoked_at IS NOT NULL AND published_version = version
    ORDER BY expires_at LIMIT ${ROWS_PER_ROUND}`;
  return rows.map(({ sha256, ...row }) => ({ ...row, name: entityName.session(sha256) }));
}

export async function deleteSessions(database: Database, ids: readonly string[]): Promise<void> {
  await database.accountSession.deleteMany({ where: { id: { in: [...ids] } } });
}
