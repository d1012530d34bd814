import {
  alreadyMember,
  lastOwner,
  MAX_MEMBERS,
  type MemberRole,
  newId,
  noInvitation,
  tooManyMembers,
} from "@diegetic/contracts";
import { DAY_MS, type Database, Prisma, type Transaction } from "@diegetic/database";
import { lockAccount } from "../../core/shared/lock-account.ts";
import { sha256Hex } from "../../core/shared/sha256.ts";

/** Lifetime of an invitation. */
export const INVITATION_MS = 7 * DAY_MS;
const EXPIRED_INVITATION_KEPT_MS = 30 * DAY_MS;
const INVITATIONS_PER_ROUND = 500;
/** Closed invitations kept per account. Beyond, a second DELETE is 404. */
const MAX_CLOSED_INVITATIONS = 500;

/** The memberships of a user, oldest first. */
export function membershipsOf(client: Database | Transaction, userId: string) {
  return client.accountMember.findMany({
    where: { userId },
    orderBy: [{ createdAt: "asc" }, { accountId: "asc" }],
    include: { account: true },
  });
}

/** Lock a user before its memberships. */
export async function lockUser(transaction: Transaction, userId: string): Promise<void> {
  await transaction.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR UPDATE`;
}

/**
 * Keeps a membership until the end of the transaction that lets a session act for it: a removal or a change of its role
 * waits, and then finds the session. Returns false when the user is no member.
 */
export async function holdMembership(
  transaction: Transaction,
  accountId: string,
  userId: string,
): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT role FROM account_members WHERE account_id = ${accountId} AND user_id = ${userId} FOR SHARE`;
  return rows.length > 0;
}

/**
 * The account that a new session acts for: that of the user's latest session if still a member, otherwise the oldest
 * membership. A user without a membership gets a new account. Locks the user, and holds the membership.
 */
export async function accountToActFor(
  transaction: Transaction,
  user: { id: string; name: string },
  label: string = user.name,
): Promise<string> {
  await lockUser(transaction, user.id);
  const memberships = await membershipsOf(transaction, user.id);
  const latest = await transaction.accountSession.findFirst({
    where: { userId: user.id, accountId: { in: memberships.map(({ accountId }) => accountId) } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  const known = latest?.accountId ?? memberships[0]?.accountId;
  if (known !== undefined) {
    await holdMembership(transaction, known, user.id);
    return known;
  }
  const accountId = newId("acct");
  await transaction.account.create({ data: { id: accountId, label } });
  await transaction.accountMember.create({ data: { accountId, userId: user.id, role: "owner" } });
  return accountId;
}

/** Throws 409 when the user is the account's only owner. Call it while the account is locked. */
export async function requireAnotherOwner(
  transaction: Transaction,
  member: { accountId: string; userId: string; role: MemberRole },
): Promise<void> {
  if (member.role !== "owner") return;
  const others = await transaction.accountMember.count({
    where: { accountId: member.accountId, role: "owner", userId: { not: member.userId } },
  });
  if (others > 0) return;
  throw lastOwner.error();
}

/** Deletes invitations that expired long ago; a bounded number per call. */
export async function forgetOldInvitations(database: Database, nowMs: number): Promise<void> {
  const before = new Date(nowMs - EXPIRED_INVITATION_KEPT_MS);
  await database.$executeRaw`
    DELETE FROM account_invitations WHERE id IN (
      SELECT id FROM account_invitations WHERE expires_at <= ${before}
      ORDER BY expires_at LIMIT ${INVITATIONS_PER_ROUND})`;
}

/** Deletes the oldest closed invitations of an account. Call it while the account is locked. */
export async function forgetClosedInvitations(
  transaction: Transaction,
  accountId: string,
  nowMs: number,
): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM account_invitations WHERE id IN (
      SELECT id FROM account_invitations
      WHERE account_id = ${accountId} AND (closed_at IS NOT NULL OR expires_at <= ${new Date(nowMs)})
      ORDER BY id DESC OFFSET ${MAX_CLOSED_INVITATIONS} LIMIT ${INVITATIONS_PER_ROUND})`;
}

export const isOpen = (nowMs: number) => ({ closedAt: null, expiresAt: { gt: new Date(nowMs) } });

/** Withdraws the account's open invitations when an owner stops being one, because the former owner may have kept a token. */
export async function withdrawInvitations(
  transaction: Transaction,
  accountId: string,
  nowMs: number,
): Promise<void> {
  await transaction.accountInvitation.updateMany({
    where: { accountId, ...isOpen(nowMs) },
    data: { closedAt: new Date(nowMs) },
  });
}

/** The open invitation with this token. Throws 404. */
export async function openInvitation(client: Database | Transaction, token: string, nowMs: number) {
  const invitation = await client.accountInvitation.findFirst({
    where: { sha256: sha256Hex(token), ...isOpen(nowMs) },
    include: { account: true },
  });
  if (invitation === null) throw noInvitation.error();
  return invitation;
}

/**
 * Makes the user a member and consumes the invitation. Of two concurrent calls, the second waits and finds it consumed.
 * Throws 404, 409 and 422.
 */
export async function acceptInvitation(
  transaction: Transaction,
  token: string,
  userId: string,
  nowMs: number,
): Promise<string> {
  // Accounts are locked before invitations everywhere.
  const { accountId } = await openInvitation(transaction, token, nowMs);
  await lockAccount(transaction, accountId);
  await transaction.$queryRaw(
    Prisma.sql`SELECT id FROM account_invitations WHERE sha256 = ${sha256Hex(token)} FOR UPDATE`,
  );
  const { id, role } = await openInvitation(transaction, token, nowMs);
  const key = { accountId_userId: { accountId, userId } };
  if ((await transaction.accountMember.findUnique({ where: key })) !== null) {
    throw alreadyMember.error();
  }
  // The invitation was counted when it was made, unless it is older than the limit or expires at this moment.
  if ((await transaction.accountMember.count({ where: { accountId } })) >= MAX_MEMBERS) {
    throw tooManyMembers.error();
  }
  await transaction.accountMember.create({ data: { accountId, userId, role, createdAt: new Date(nowMs) } });
  await transaction.accountInvitation.update({ where: { id }, data: { closedAt: new Date(nowMs) } });
  return accountId;
}
