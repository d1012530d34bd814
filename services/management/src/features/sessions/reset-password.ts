import { randomBytes } from "node:crypto";
import { type Database, inTransaction } from "@diegetic/database";
import { hashPassword } from "better-auth/crypto";

const PASSWORD_BYTES = 15;

/**
 * Replaces a user's password by a random one and ends all the user's sessions, for an operator whom the user has asked.
 * Returns the new password; undefined: no user can sign in with this address (the demo's cannot after its
 * end).
 *
 * A sign-in with the old password that began before may start a session until the change is committed, so sessions are
 * ended after it as well. Nobody knows the new password yet.
 */
export async function resetPassword(database: Database, email: string): Promise<string | undefined> {
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  const hash = await hashPassword(password);
  const user = await database.user.findUnique({ where: { email: email.toLowerCase() } });
  if (user === null) return undefined;
  const userId = user.id;
  const isReset = await inTransaction(database, async (transaction) => {
    // In the order of the library's own change: sessions, credential.
    await transaction.userSession.deleteMany({ where: { userId } });
    const providerId = "credential";
    const where = { userId, providerId };
    const { count } = await transaction.userCredential.updateMany({ where, data: { password: hash } });
    return count > 0;
  });
  await database.userSession.deleteMany({ where: { userId } });
  return isReset ? password : undefined;
}
