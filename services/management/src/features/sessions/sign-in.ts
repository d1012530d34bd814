import {
  emailTaken,
  sessionEnded,
  signInOvertaken,
  unusableEmail,
  wrongCredentials,
  wrongPassword,
} from "@diegetic/contracts";
import { inTransaction, type Transaction, translateError } from "@diegetic/database";
import { cookieValue, type RequestContext } from "@diegetic/service-kit";
import { isAPIError } from "better-auth/api";
import { sha256Hex } from "../../core/shared/sha256.ts";
import type { Parts } from "../parts.ts";
import { CLIENT_ADDRESS_HEADER, callLibrary } from "./auth.ts";
import { accountToActFor, holdMembership, lockUser } from "./members.ts";
import { endOldestSessions } from "./store.ts";

const MAX_USER_AGENT_CHARACTERS = 300;

/** A new session, and the header that sets its cookie. */
export interface StartedSession {
  sessionId: string;
  setCookie: string;
}

/** The parts of a request that the library may see. */
export function headersForAuth(context: RequestContext): Headers {
  const headers = new Headers({ [CLIENT_ADDRESS_HEADER]: context.clientAddress });
  for (const name of ["cookie", "user-agent"]) {
    const value = context.header(name);
    if (value !== undefined)
      headers.set(name, name === "cookie" ? value : value.slice(0, MAX_USER_AGENT_CHARACTERS));
  }
  return headers;
}

/** Calls the library, and translates its refusals into errors of the API. Rejects with the errors of the database. */
export async function callAuth<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await callLibrary(call);
  } catch (error) {
    // Errors of its own transactions come untranslated.
    throw isAPIError(error) ? refusalOf(error.body, error) : translateError(error);
  }
}

function refusalOf(body: { code?: string; message?: string } | undefined, cause: unknown): Error {
  const { code, message = "" } = body ?? {};
  switch (code) {
    case "INVALID_EMAIL_OR_PASSWORD":
      return wrongCredentials.error();
    case "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL":
      return emailTaken.error();
    case "INVALID_EMAIL":
      return unusableEmail.error();
    case "INVALID_PASSWORD":
      return wrongPassword.error();
    case "UNAUTHORIZED":
      return sessionEnded.error();
    default:
      if (code === "VALIDATION_ERROR" && message.startsWith("[body.email]")) return unusableEmail.error();
      return new Error(`the authentication library refused: ${code}`, { cause });
  }
}

/** Signs a user in by e-mail address and password. Throws 401. */
export async function startSession(
  parts: Parts,
  context: RequestContext,
  credentials: { email: string; password: string },
  nowMs: number,
): Promise<StartedSession> {
  const email = credentials.email.toLowerCase();
  const checked = await parts.database.userCredential.findFirst({ where: { user: { email } } });
  const { headers, response } = await callAuth(() =>
    parts.auth.api.signInEmail({ body: credentials, headers: headersForAuth(context), returnHeaders: true }),
  );
  const passwordHash = checked?.password ?? undefined;
  return admitSession(parts, { token: response.token, headers, passwordHash }, nowMs);
}

interface LibrarySession {
  token: string;
  headers: Headers;
  /** Account to act for, if the user is still a member. Default: that of the user's latest session. */
  accountId?: string;
  /** Stored hash of the password that the session was created with. Default: the current hash. */
  passwordHash?: string | undefined;
}

/**
 * Admits requests with the cookie of a session that the library has started. Throws 401 when the session has ended or
 * its password has changed since.
 */
export async function admitSession(
  { database, cookieName }: Parts,
  { token, headers, accountId, passwordHash }: LibrarySession,
  nowMs: number,
): Promise<StartedSession> {
  const setCookie = setCookieOf(headers, cookieName);
  const value = cookieValue(setCookie.split(";", 1)[0], cookieName);
  if (value === undefined) throw new Error("the authentication library has set no cookie");
  const { id, userId } = await inTransaction(database, async (transaction) => {
    const session = await lockSession(transaction, token);
    if (session === undefined) throw signInOvertaken.error();
    const { id, userId, expiresAt } = session;
    if (passwordHash !== undefined && passwordHash !== (await lockPassword(transaction, userId))) {
      throw signInOvertaken.error();
    }
    const user = await transaction.user.findUniqueOrThrow({ where: { id: userId } });
    if (accountId !== undefined) await lockUser(transaction, userId);
    const isWanted = accountId !== undefined && (await holdMembership(transaction, accountId, userId));
    const actsFor = isWanted ? accountId : await accountToActFor(transaction, user);
    // The cookie is admitted from the commit on.
    await transaction.accountSession.create({
      data: { id, userId, accountId: actsFor, sha256: sha256Hex(value), expiresAt },
    });
    return session;
  });
  await endOldestSessions(database, userId, nowMs);
  return { sessionId: id, setCookie };
}

// The library's change of a password locks sessions, credential and user in this order; any other order could deadlock.

async function lockSession(transaction: Transaction, token: string) {
  const [row] = await transaction.$queryRaw<{ id: string; userId: string; expiresAt: Date }[]>`
    SELECT id, user_id AS "userId", expires_at AS "expiresAt" FROM user_sessions WHERE token = ${token} FOR SHARE`;
  return row;
}

async function lockPassword(transaction: Transaction, userId: string): Promise<string | undefined> {
  const [row] = await transaction.$queryRaw<{ password: string }[]>`
    SELECT password FROM user_credentials WHERE user_id = ${userId} FOR SHARE`;
  return row?.password;
}

/** The library's header for the session's cookie; its other cookies are not needed. */
export function setCookieOf(headers: Headers, cookieName: string): string {
  const header = headers.getSetCookie().find((one) => one.startsWith(`${cookieName}=`));
  if (header === undefined) throw new Error("the authentication library has set no cookie");
  return header;
}
