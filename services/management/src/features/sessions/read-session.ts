import { type SessionBody, sessionEnded } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { timestamp } from "../../core/shared/time.ts";
import { membershipsOf } from "./members.ts";

/** The current session as it is answered. Throws 401 when it has ended meanwhile. */
export async function readSession(database: Database, sessionId: string): Promise<SessionBody> {
  const session = await database.accountSession.findUnique({
    where: { id: sessionId },
    include: { user: true },
  });
  const memberships = session === null ? [] : await membershipsOf(database, session.userId);
  const accounts = memberships.map(({ account, role }) => ({ id: account.id, label: account.label, role }));
  const current = accounts.find(({ id }) => id === session?.accountId);
  if (session === null || session.revokedAt !== null || current === undefined) {
    throw sessionEnded.error();
  }
  const { user, expiresAt } = session;
  return {
    session_id: session.id,
    expires_at: timestamp(expiresAt),
    user: {
      id: user.id,
      name: user.name,
      email: user.email,
      is_operator: user.isOperator,
      is_demo: user.isDemo,
    },
    account: { id: current.id, label: current.label },
    role: current.role,
    accounts,
  };
}
