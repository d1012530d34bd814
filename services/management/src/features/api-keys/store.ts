import {
  ENDED_API_KEY_KEPT_DAYS,
  entityName,
  invalidKey,
  lastManagingKey,
  MAX_API_KEYS,
  MAX_STORED_API_KEYS,
  newId,
  noKey,
  otherAccountsKey,
  sessionEnded,
  tooManyEndedKeys,
  tooManyKeys,
} from "@diegetic/contracts";
import { DAY_MS, type Database, type Prisma, type Transaction } from "@diegetic/database";
import { type Caller, requireRole } from "@diegetic/service-kit";
import type { OldRow } from "../../core/publishing/old-rows.ts";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import { limitFromColumn, limitToColumn } from "../../core/shared/limit-column.ts";
import { lockAccount } from "../../core/shared/lock-account.ts";
import { type Paging, rowsOfPage } from "../../core/shared/paging.ts";
import { sha256Hex } from "../../core/shared/sha256.ts";
import {
  type ApiKeyRow,
  type endOfRotated,
  isInForce,
  type KeySettings,
  MANAGING_SCOPES,
  SUSPENDED_EXPIRY,
} from "./api-key.ts";
import { shownPrefix } from "./key-secret.ts";

const KEYS_PER_ROUND = 500;

function fromRow(row: Prisma.ApiKeyGetPayload<object>): ApiKeyRow {
  return { ...row, rateLimitPerMinute: limitFromColumn(row.rateLimitPerMinute) };
}

const inForce = (accountId: string, nowMs: number) => ({
  accountId,
  revokedAt: null,
  OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(nowMs) } }],
});

/** The account's active keys, in creation order. */
export async function listKeys(
  database: Database,
  accountId: string,
  nowMs: number,
  paging: Paging,
): Promise<ApiKeyRow[]> {
  return (await database.apiKey.findMany(rowsOfPage(inForce(accountId, nowMs), paging))).map(fromRow);
}

/** The account's key with this id, active or not. Throws 403 when it belongs to another account, 404 when it does not exist. */
export async function ownKey(
  client: Database | Transaction,
  accountId: string,
  keyId: string,
): Promise<ApiKeyRow> {
  const row = isIdentifier("key", keyId) ? await client.apiKey.findUnique({ where: { id: keyId } }) : null;
  if (row === null) throw noKey.error();
  if (row.accountId !== accountId) throw otherAccountsKey.error();
  return fromRow(row);
}

/**
 * Locks the keys of an account until the end of the transaction. Throws 401 when the calling key has ended since the
 * request was admitted: a revoked key must not create new ones.
 */
export async function lockKeys(
  transaction: Transaction,
  caller: Pick<Caller, "accountId" | "id" | "session">,
  nowMs: number,
): Promise<void> {
  await lockAccount(transaction, caller.accountId);
  if (caller.session !== undefined) return requireOwner(transaction, caller, nowMs);
  if (isInForce(await ownKey(transaction, caller.accountId, caller.id), nowMs)) return;
  throw invalidKey.error();
}

/** Throws when the session, or its user's right to manage keys, has ended since the request was admitted. */
async function requireOwner(
  transaction: Transaction,
  { accountId, id }: Pick<Caller, "accountId" | "id">,
  nowMs: number,
): Promise<void> {
  const session = await transaction.accountSession.findUnique({ where: { id } });
  const isOver = session === null || session.revokedAt !== null || session.expiresAt.getTime() <= nowMs;
  if (isOver || session.accountId !== accountId) throw sessionEnded.error();
  const accountId_userId = { accountId, userId: session.userId };
  const member = await transaction.accountMember.findUnique({ where: { accountId_userId } });
  requireRole(member?.role ?? "viewer", "owner");
}

/** Throws 422 when the account has the maximum number of active keys, or of keys that are stored. */
export async function requireRoom(transaction: Transaction, accountId: string, nowMs: number): Promise<void> {
  const keys = await transaction.apiKey.count({ where: inForce(accountId, nowMs) });
  if (keys >= MAX_API_KEYS) throw tooManyKeys.error();
  const stored = await transaction.apiKey.count({ where: { accountId } });
  if (stored >= MAX_STORED_API_KEYS) throw tooManyEndedKeys.error();
}

/**
 * Throws 409 when ending this key would leave the account without an owner and without a managing key, so that nobody
 * could create another. Keys with a set end do not count. Call it while the keys are locked: the same lock keeps the
 * account's last owner.
 */
export async function requireAnotherManager(
  transaction: Transaction,
  { id, accountId }: Pick<ApiKeyRow, "id" | "accountId">,
): Promise<void> {
  if ((await transaction.accountMember.count({ where: { accountId, role: "owner" } })) > 0) return;
  const others = await transaction.apiKey.count({
    where: {
      accountId,
      id: { not: id },
      revokedAt: null,
      expiresAt: null,
      scopes: { hasSome: [...MANAGING_SCOPES] },
    },
  });
  if (others > 0) return;
  throw lastManagingKey.error();
}

/** Writes a key with this secret. */
export async function insertKey(
  transaction: Transaction,
  accountId: string,
  settings: KeySettings,
  keySecret: string,
  nowMs: number,
): Promise<ApiKeyRow> {
  const row = await transaction.apiKey.create({
    data: {
      id: newId("key", nowMs),
      accountId,
      sha256: sha256Hex(keySecret),
      prefix: shownPrefix(keySecret),
      label: settings.label,
      scopes: [...settings.scopes],
      rateLimitPerMinute: limitToColumn(settings.rateLimitPerMinute),
      rateLimitKeyId: settings.rateLimitKeyId ?? null,
      createdByUserId: settings.createdByUserId ?? null,
      createdAt: new Date(nowMs),
    },
  });
  return fromRow(row);
}

/** The user responsible for a key that the caller creates: the signed-in user, or the creator of the calling key. */
export async function creatorOf(
  transaction: Transaction,
  { accountId, id, session }: Pick<Caller, "accountId" | "id" | "session">,
): Promise<string | null> {
  if (session !== undefined) return session.userId;
  return (await ownKey(transaction, accountId, id)).createdByUserId ?? null;
}

/** Revokes the account's keys that the user created. Returns their ids. Call it while the keys are locked. */
export async function revokeKeysMadeBy(
  transaction: Transaction,
  accountId: string,
  userId: string,
  nowMs: number,
): Promise<string[]> {
  const keys = await transaction.apiKey.findMany({
    where: { ...inForce(accountId, nowMs), createdByUserId: userId },
    select: { id: true },
    orderBy: { id: "asc" },
  });
  for (const { id } of keys) await endKey(transaction, id, { revokedAt: new Date(nowMs) });
  return keys.map(({ id }) => id);
}

/** Revokes expired keys, so that the snapshot drops them, but no suspended ones; a bounded number per call. */
export async function revokeExpiredKeys(database: Database, nowMs: number): Promise<void> {
  await database.$executeRaw`
    UPDATE api_keys SET revoked_at = expires_at, version = version + 1 WHERE id IN (
      SELECT id FROM api_keys WHERE revoked_at IS NULL AND expires_at <= ${new Date(nowMs)}
        AND expires_at <> ${SUSPENDED_EXPIRY}
      ORDER BY expires_at LIMIT ${KEYS_PER_ROUND} FOR NO KEY UPDATE SKIP LOCKED)`;
}

/** Keys that ended so long ago that nothing needs to know them; a bounded number. */
export async function findOldKeys(database: Database, nowMs: number): Promise<OldRow[]> {
  const before = new Date(nowMs - ENDED_API_KEY_KEPT_DAYS * DAY_MS);
  const rows = await database.$queryRaw<{ id: string; sha256: string; rowVersion: number }[]>`
    SELECT id, sha256, version AS "rowVersion" FROM api_keys WHERE revoked_at <= ${before} AND published_version = version
    ORDER BY revoked_at LIMIT ${KEYS_PER_ROUND}`;
  return rows.map(({ sha256, ...row }) => ({ ...row, name: entityName.apiKey(sha256) }));
}

export async function deleteKeys(database: Database, ids: readonly string[]): Promise<void> {
  await database.apiKey.deleteMany({ where: { id: { in: [...ids] } } });
}

/** Ends a key now or at the given time; a revoked key stays revoked. */
export async function endKey(
  transaction: Transaction,
  keyId: string,
  end: ReturnType<typeof endOfRotated>,
): Promise<void> {
  await transaction.apiKey.updateMany({
    where: { id: keyId, revokedAt: null },
    data: { ...end, version: { increment: 1 } },
  });
}
