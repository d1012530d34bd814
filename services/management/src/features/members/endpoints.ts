import {
  accountPatch,
  type CreatedInvitationBody,
  choiceParameter,
  type InvitationBody,
  invitationCreate,
  invitationNotShownAgain,
  invitationTokenBody,
  MAX_INVITATIONS,
  MAX_MEMBERS,
  type MemberBody,
  memberPatch,
  membersApi,
  newId,
  noMember,
  otherAccountsInvitation,
  tooManyInvitations,
  tooManyMembers,
  unknownInvitation,
} from "@diegetic/contracts";
import { type Database, inTransaction, type Prisma, type Transaction } from "@diegetic/database";
import { type RequestContext, requireRole } from "@diegetic/service-kit";
import { createOnce, readSentBody } from "../../core/idempotency/create-once.ts";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import { lockAccount } from "../../core/shared/lock-account.ts";
import {
  newOneTimeSecret,
  type OneTimeSecretKind,
  withoutSecret,
  withSecret,
} from "../../core/shared/one-time-secret.ts";
import { sha256Hex } from "../../core/shared/sha256.ts";
import { timestamp } from "../../core/shared/time.ts";
import { revokeKeysMadeBy } from "../api-keys/store.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { userOf } from "../sessions/endpoints.ts";
import {
  acceptInvitation,
  accountToActFor,
  forgetClosedInvitations,
  INVITATION_MS,
  isOpen,
  lockUser,
  requireAnotherOwner,
  withdrawInvitations,
} from "../sessions/members.ts";
import { readSession } from "../sessions/read-session.ts";
import { moveSessions } from "../sessions/store.ts";

/** Endpoints for the members of the session's account. */
export const memberEndpoints = endpointsOf(membersApi.operations, {
  changeAccount,
  list,
  change,
  remove,
  listInvitations,
  invite,
  // Before the path of one invitation, which would match "accept" as an identifier.
  accept,
  withdraw,
});

const TOKEN: OneTimeSecretKind = {
  prefix: "inv_",
  purpose: "invitation",
  notShownAgain: invitationNotShownAgain,
};

type MemberRow = Prisma.AccountMemberGetPayload<{ include: { user: true } }>;

function toResponse({ user, role, createdAt }: MemberRow): MemberBody {
  return { user_id: user.id, name: user.name, email: user.email, role, joined_at: timestamp(createdAt) };
}

async function changeAccount({ database }: Parts, context: RequestContext) {
  const { label } = context.body(accountPatch);
  await database.account.update({ where: { id: context.accountId }, data: { label } });
  return { status: 200, body: await readSession(database, context.caller.id) };
}

async function list({ database }: Parts, { accountId }: RequestContext) {
  const members = await database.accountMember.findMany({
    where: { accountId },
    orderBy: [{ createdAt: "asc" }, { userId: "asc" }],
    include: { user: true },
  });
  return { status: 200, body: members.map(toResponse) };
}

/** Throws 404, also for users of other accounts: does not reveal who else uses the service. */
async function memberOf(
  client: Database | Transaction,
  accountId: string,
  userId: string,
): Promise<MemberRow> {
  const member = isIdentifier("usr", userId)
    ? await client.accountMember.findUnique({
        where: { accountId_userId: { accountId, userId } },
        include: { user: true },
      })
    : null;
  if (member !== null) return member;
  throw noMember.error();
}

/** Throws 403 when the caller is no longer an owner. Call it while the account is locked. */
async function requireOwner(transaction: Transaction, context: RequestContext): Promise<void> {
  const { role } = await memberOf(transaction, context.accountId, userOf(context));
  requireRole(role, "owner");
}

async function change({ database, publishing, clock }: Parts, context: RequestContext) {
  const { accountId } = context;
  const userId = context.param("userId");
  const current = toResponse(await memberOf(database, accountId, userId));
  const { role } = context.body((sent) => memberPatch(sent, current));
  const sessions = await inTransaction(database, async (transaction) => {
    await lockAccount(transaction, accountId);
    await requireOwner(transaction, context);
    const member = await memberOf(transaction, accountId, userId);
    if (role !== "owner") await requireAnotherOwner(transaction, member);
    if (role !== "owner" && member.role === "owner") {
      await withdrawInvitations(transaction, accountId, clock());
    }
    await transaction.accountMember.update({
      where: { accountId_userId: { accountId, userId } },
      data: { role },
    });
    return moveSessions(transaction, { userId, accountId }, accountId);
  });
  await publishing.publishAndWait("session", ...sessions);
  return { status: 200, body: toResponse(await memberOf(database, accountId, userId)) };
}

async function remove({ database, publishing, clock }: Parts, context: RequestContext) {
  const { accountId } = context;
  const userId = context.param("userId");
  await memberOf(database, accountId, userId);
  const revokesKeys = choiceParameter("revoke_keys", context.query, ["true", "false"]) === "true";
  const { sessions, keys } = await inTransaction(database, async (transaction) => {
    await lockAccount(transaction, accountId);
    if (revokesKeys || userId !== userOf(context)) await requireOwner(transaction, context);
    const member = await memberOf(transaction, accountId, userId);
    await requireAnotherOwner(transaction, member);
    if (member.role === "owner") await withdrawInvitations(transaction, accountId, clock());
    await lockUser(transaction, userId);
    await transaction.accountMember.delete({ where: { accountId_userId: { accountId, userId } } });
    const keys = revokesKeys ? await revokeKeysMadeBy(transaction, accountId, userId, clock()) : [];
    const next = await accountToActFor(transaction, member.user);
    return { sessions: await moveSessions(transaction, { userId, accountId }, next), keys };
  });
  await Promise.all([
    publishing.publishAndWait("session", ...sessions),
    publishing.publishAndWait("apiKey", ...keys),
  ]);
  return { status: 204 };
}

type InvitationRow = Prisma.AccountInvitationGetPayload<object>;

function toInvitationResponse({ id, role, note, createdAt, expiresAt }: InvitationRow): InvitationBody {
  return { id, role, note, created_at: timestamp(createdAt), expires_at: timestamp(expiresAt) };
}

async function listInvitations({ database, clock }: Parts, { accountId }: RequestContext) {
  const invitations = await database.accountInvitation.findMany({
    where: { accountId, ...isOpen(clock()) },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take: MAX_INVITATIONS,
  });
  return { status: 200, body: invitations.map(toInvitationResponse) };
}

/** The token is not stored: a retry derives it again (see one-time-secret.ts). */
async function invite({ database, clock, keyDerivationSecret }: Parts, context: RequestContext) {
  const { accountId } = context;
  const { sent, value } = readSentBody(context, invitationCreate);
  const nowMs = clock();
  const answer = await createOnce(database, context, sent, async (transaction) => {
    await lockAccount(transaction, accountId);
    await requireOwner(transaction, context);
    const open = await transaction.accountInvitation.count({ where: { accountId, ...isOpen(nowMs) } });
    if (open >= MAX_INVITATIONS) throw tooManyInvitations.error();
    const members = await transaction.accountMember.count({ where: { accountId } });
    if (members + open >= MAX_MEMBERS) throw tooManyMembers.error();
    await forgetClosedInvitations(transaction, accountId, nowMs);
    const fresh = newOneTimeSecret(TOKEN, keyDerivationSecret);
    const invitation = await transaction.accountInvitation.create({
      data: {
        id: newId("inv", nowMs),
        accountId,
        role: value.role,
        note: value.note ?? null,
        sha256: sha256Hex(fresh.secret),
        createdAt: new Date(nowMs),
        expiresAt: new Date(nowMs + INVITATION_MS),
      },
    });
    return { status: 201, body: withoutSecret(toInvitationResponse(invitation), fresh) };
  });
  const { secret: token, ...invitation } = withSecret(answer.body, TOKEN, keyDerivationSecret);
  // A fragment reaches no server and no log.
  const body: CreatedInvitationBody = { ...invitation, token, link_path: `/join#${token}` };
  return { ...answer, body };
}

async function withdraw({ database, clock }: Parts, context: RequestContext) {
  const id = context.param("invitationId");
  const invitation = isIdentifier("inv", id)
    ? await database.accountInvitation.findUnique({ where: { id } })
    : null;
  if (invitation === null) throw unknownInvitation.error();
  if (invitation.accountId !== context.accountId) throw otherAccountsInvitation.error();
  await database.accountInvitation.updateMany({
    where: { id, closedAt: null },
    data: { closedAt: new Date(clock()) },
  });
  return { status: 204 };
}

async function accept({ database, publishing, clock }: Parts, context: RequestContext) {
  const { token } = context.body(invitationTokenBody);
  const { id } = context.caller;
  await inTransaction(database, async (transaction) => {
    const accountId = await acceptInvitation(transaction, token, userOf(context), clock());
    await moveSessions(transaction, { id }, accountId);
  });
  await publishing.publishEventually("session", id);
  return { status: 200, body: await readSession(database, id) };
}
