import {
  emailTaken,
  HttpError,
  invitationTokenBody,
  type ListedSessionBody,
  noSession,
  notMemberOfAccount,
  type OfferedAccountBody,
  passwordChange,
  sessionPatch,
  sessionsApi,
  signIn,
  signUp,
  userPatch,
} from "@diegetic/contracts";
import { inTransaction } from "@diegetic/database";
import { type Answer, cookieValue, type RequestContext } from "@diegetic/service-kit";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import { sha256Hex } from "../../core/shared/sha256.ts";
import { timestamp } from "../../core/shared/time.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { acceptInvitation, accountToActFor, holdMembership, openInvitation } from "./members.ts";
import { readSession } from "./read-session.ts";
import {
  admitSession,
  callAuth,
  headersForAuth,
  type StartedSession,
  setCookieOf,
  startSession,
} from "./sign-in.ts";
import { requireSignUp, signUpNeeds } from "./sign-up-policy.ts";
import { endSessions, moveSessions, sessionsInForce } from "./store.ts";

/** Unknown browsers share this multiple of one client address' attempts, so that a single address cannot use them up. */
const STRANGERS_FACTOR = 5;

/** Sign-up, sign-in and sign-out; the user's own sessions. */
export const sessionEndpoints = endpointsOf(sessionsApi.operations, {
  readSignUp,
  signUp: signUpUser,
  signIn: signInUser,
  signOut,
  readInvitation,
  show,
  change: switchAccount,
  changeUser,
  changePassword,
  list,
  end,
  endOthers,
});

/** The signed-in user. */
export function userOf({ caller }: RequestContext): string {
  if (caller.session === undefined) throw new Error("the endpoint is for sessions alone");
  return caller.session.userId;
}

async function readSignUp({ database, signUpPolicy }: Parts, { clientAddress }: RequestContext) {
  return {
    status: 200,
    body: await signUpNeeds(database, signUpPolicy, clientAddress),
  };
}

async function signUpUser(parts: Parts, context: RequestContext) {
  const { database, auth, clock } = parts;
  const nowMs = clock();
  const { name, email, password, account_label, invitation_token, setup_token } = context.body(signUp);
  await takeAttempt(parts, context);
  await requireSignUp(database, parts.signUpPolicy, {
    clientAddress: context.clientAddress,
    invitationToken: invitation_token,
    setupToken: setup_token,
  });
  if (invitation_token !== undefined) await openInvitation(database, invitation_token, nowMs);
  if ((await userByEmail(parts, email)) !== null) throw emailTaken.error();
  const { headers, response } = await callAuth(() =>
    auth.api.signUpEmail({
      body: { name, email, password },
      headers: headersForAuth(context),
      returnHeaders: true,
    }),
  ).catch(async (error: unknown) => {
    // A concurrent sign-up with the same address was faster.
    throw !(error instanceof HttpError) && (await userByEmail(parts, email)) !== null
      ? emailTaken.error()
      : error;
  });
  const { user } = response;
  await inTransaction(database, async (transaction) => {
    if (invitation_token === undefined) await accountToActFor(transaction, user, account_label ?? name);
    else await acceptInvitation(transaction, invitation_token, user.id, nowMs);
  }).catch(async (error: unknown) => {
    // A user without an account would get an own one by signing in, also where only invited users may. The operator is
    // kept: they may have an account, and no later user could become the operator.
    await database.user.deleteMany({ where: { id: user.id, isOperator: false } });
    throw error;
  });
  const session = await admitSession(parts, { token: String(response.token), headers }, nowMs);
  return answerWithSession(parts, context, 201, email, session);
}

function userByEmail({ database }: Parts, email: string) {
  return database.user.findUnique({ where: { email: email.toLowerCase() } });
}

async function signInUser(parts: Parts, context: RequestContext) {
  const { email, password } = context.body(signIn);
  await takeAttempt(parts, context, email);
  const session = await startSession(parts, context, { email, password }, parts.clock());
  return answerWithSession(parts, context, 200, email, session);
}

/**
 * Limits password guessing per client address, and per user over all addresses. The user's known browsers count
 * separately, so that a guesser cannot lock the user out.
 */
async function takeAttempt(
  { rateLimitSignIn, devices }: Parts,
  context: RequestContext,
  email?: string,
): Promise<void> {
  await context.countAgainst("sign-in", context.clientNetwork, rateLimitSignIn);
  if (email === undefined) return;
  const device = devices.find(context.header("cookie"), email);
  if (device !== undefined) return context.countAgainst("sign-in-device", device, rateLimitSignIn);
  const user = sha256Hex(email.toLowerCase());
  const limit = rateLimitSignIn === "unlimited" ? rateLimitSignIn : rateLimitSignIn * STRANGERS_FACTOR;
  await context.countAgainst("sign-in-user", user, limit);
}

/** Answers with the new session. Ends the browser's former one, because its cookie is overwritten. */
async function answerWithSession(
  parts: Parts,
  context: RequestContext,
  status: number,
  email: string,
  { sessionId, setCookie }: StartedSession,
): Promise<Answer> {
  const { database, publishing, devices } = parts;
  const former = await sessionOfCookie(parts, context);
  if (former !== null) await endSessions(database, former.userId, [former]);
  const changed = former === null ? [sessionId] : [sessionId, former.id];
  await Promise.all(changed.map((id) => publishing.publishEventually("session", id)));
  const cookies = [setCookie, devices.issue(email)];
  return { status, body: await readSession(database, sessionId), cookies };
}

/** The session whose cookie came with the request; it may have ended. */
async function sessionOfCookie({ database, cookieName }: Parts, context: RequestContext) {
  const value = cookieValue(context.header("cookie"), cookieName);
  if (value === undefined) return null;
  return database.accountSession.findUnique({ where: { sha256: sha256Hex(value) } });
}

/** Works without an active session, too: the browser drops its cookie in any case. */
async function signOut(parts: Parts, context: RequestContext) {
  const { database, auth, cookieName, publishing } = parts;
  const session = await sessionOfCookie(parts, context);
  if (session !== null) await endSessions(database, session.userId, [session]);
  const { headers } = await callAuth(() =>
    auth.api.signOut({ headers: headersForAuth(context), returnHeaders: true }),
  );
  return answerWithCookie(setCookieOf(headers, cookieName), async () => {
    if (session !== null) await publishing.publishAndWait("session", session.id);
  });
}

/** The session has changed already, so the browser needs the cookie even if publishing is answered 503. */
async function answerWithCookie(setCookie: string, publish: () => Promise<void>): Promise<Answer> {
  try {
    await publish();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const headers = { ...error.headers, "Set-Cookie": setCookie };
    throw new HttpError(error.status, error.message, headers, { cause: error.cause });
  }
  return { status: 204, cookies: [setCookie] };
}

async function readInvitation(parts: Parts, context: RequestContext) {
  const { token } = context.body(invitationTokenBody);
  const { account, role, expiresAt } = await openInvitation(parts.database, token, parts.clock());
  const body: OfferedAccountBody = {
    account_label: account.label,
    role,
    expires_at: timestamp(expiresAt),
  };
  return { status: 200, body };
}

async function show({ database }: Parts, { caller }: RequestContext) {
  return { status: 200, body: await readSession(database, caller.id) };
}

async function switchAccount({ database, publishing }: Parts, context: RequestContext) {
  const { account_id } = context.body(sessionPatch);
  const { id } = context.caller;
  await inTransaction(database, async (transaction) => {
    if (!(await holdMembership(transaction, account_id, userOf(context)))) throw notMemberOfAccount.error();
    await moveSessions(transaction, { id }, account_id);
  });
  await publishing.publishAndWait("session", id);
  return { status: 200, body: await readSession(database, id) };
}

async function changeUser({ database }: Parts, context: RequestContext) {
  const { name } = context.body(userPatch);
  await database.user.update({ where: { id: userOf(context) }, data: { name } });
  return { status: 200, body: await readSession(database, context.caller.id) };
}

/**
 * The library writes the password, ends all sessions and starts a new one. It ends them before it writes, so sessions
 * that start in between are ended afterwards.
 */
async function changePassword(parts: Parts, context: RequestContext) {
  const { auth, publishing, database, clock } = parts;
  const { current_password, new_password } = context.body(passwordChange);
  const userId = userOf(context);
  await context.countAgainst("sign-in", context.clientNetwork, parts.rateLimitSignIn);
  await context.countAgainst("password", userId, parts.rateLimitSignIn);
  const ended = await sessionsInForce(database, userId, clock());
  const { headers, response } = await callAuth(() =>
    auth.api.changePassword({
      body: { currentPassword: current_password, newPassword: new_password, revokeOtherSessions: true },
      headers: headersForAuth(context),
      returnHeaders: true,
    }),
  );
  const { accountId } = context;
  const token = String(response.token);
  const { sessionId, setCookie } = await admitSession(parts, { token, headers, accountId }, clock());
  const admitted = await sessionsInForce(database, userId, clock());
  const between = admitted.filter(({ id }) => id !== sessionId);
  await endSessions(database, userId, between);
  await publishing.publishEventually("session", sessionId);
  const gone = new Set([...ended, ...between].map(({ id }) => id));
  return answerWithCookie(setCookie, () => publishing.publishAndWait("session", ...gone));
}

async function list({ database, clock }: Parts, context: RequestContext) {
  const sessions = await sessionsInForce(database, userOf(context), clock());
  const origins = await database.userSession.findMany({
    where: { id: { in: sessions.map(({ id }) => id) } },
    select: { id: true, userAgent: true, ipAddress: true },
  });
  const originOf = new Map(origins.map((origin) => [origin.id, origin]));
  const body = sessions.map(
    ({ id, account, createdAt, expiresAt }): ListedSessionBody => ({
      id,
      account_label: account.label,
      created_at: timestamp(createdAt),
      expires_at: timestamp(expiresAt),
      user_agent: originOf.get(id)?.userAgent || null,
      client_address: originOf.get(id)?.ipAddress || null,
      current: id === context.caller.id,
    }),
  );
  return { status: 200, body };
}

async function end({ database, publishing, clock }: Parts, context: RequestContext) {
  const id = context.param("sessionId");
  const userId = userOf(context);
  const own = isIdentifier("ses", id) ? await sessionsInForce(database, userId, clock()) : [];
  if (!own.some((session) => session.id === id)) throw noSession.error();
  await endSessions(database, userId, [{ id }]);
  await publishing.publishAndWait("session", id);
  return { status: 204 };
}

async function endOthers({ database, publishing, clock }: Parts, context: RequestContext) {
  const userId = userOf(context);
  const sessions = await sessionsInForce(database, userId, clock());
  const others = sessions.filter(({ id }) => id !== context.caller.id);
  await endSessions(database, userId, others);
  await publishing.publishAndWait("session", ...others.map(({ id }) => id));
  return { status: 204 };
}
