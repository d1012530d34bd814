import { AsyncLocalStorage } from "node:async_hooks";
import { type IdPrefix, newId, PASSWORD_CHARACTERS } from "@diegetic/contracts";
import { type Database, DatabaseUnavailable, TransactionConflict } from "@diegetic/database";
import { isSecure, sessionCookieName } from "@diegetic/service-kit";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { betterAuth } from "better-auth/minimal";

/** Lifetime of a session. Seconds. */
const SESSION_SECONDS = 14 * 24 * 60 * 60;
/** Header that passes the client address, as determined by the service, to the library. */
export const CLIENT_ADDRESS_HEADER = "x-client-address";

const ID_PREFIXES: Readonly<Record<string, IdPrefix>> = {
  user: "usr",
  session: "ses",
  account: "crd",
  verification: "ver",
};

export interface AuthSettings {
  basePath: string;
  publicUrl: string | undefined;
  secrets: { authSecret: string };
}

type DatabaseFailure = DatabaseUnavailable | TransactionConflict;

/** What each call of the library has logged. */
const calls = new AsyncLocalStorage<{ failure?: DatabaseFailure }>();

/** Calls the library. It only logs some failures of the database, and answers a refusal of its own: rejects with the failure. */
export async function callLibrary<T>(call: () => Promise<T>): Promise<T> {
  const logged: { failure?: DatabaseFailure } = {};
  try {
    return await calls.run(logged, call);
  } catch (error) {
    throw logged.failure ?? error;
  }
}

/**
 * The authentication library: passwords, sessions and their cookie. The service calls its functions, never its router,
 * because routes, limits, origin checks and errors are the service's own. Logs nothing, because its lines contain
 * e-mail addresses.
 */
export function createAuth(database: Database, { basePath, publicUrl, secrets }: AuthSettings) {
  return betterAuth({
    appName: "Diegetic",
    baseURL: publicUrl ?? "http://localhost",
    basePath: `${basePath}/auth`,
    secret: secrets.authSecret,
    database: prismaAdapter(database, { provider: "postgresql", transaction: true }),
    logger: {
      level: "error",
      log: (_level, _message, error: unknown) => {
        const logged = calls.getStore();
        const isFailure = error instanceof DatabaseUnavailable || error instanceof TransactionConflict;
        if (logged !== undefined && isFailure) logged.failure = error;
      },
    },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_CHARACTERS.minimum,
      // The library counts UTF-16 units, of which a character has up to two.
      maxPasswordLength: 2 * PASSWORD_CHARACTERS.maximum,
    },
    user: { modelName: "user" },
    session: { modelName: "userSession", expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    account: { modelName: "userCredential" },
    verification: { modelName: "userVerification" },
    advanced: {
      // The name already has its prefix.
      useSecureCookies: false,
      cookies: {
        session_token: {
          name: sessionCookieName(publicUrl),
          attributes: { secure: isSecure(publicUrl), sameSite: "strict", httpOnly: true, path: "/" },
        },
      },
      database: { generateId: ({ model }) => newId(ID_PREFIXES[model] ?? "ver") },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;
