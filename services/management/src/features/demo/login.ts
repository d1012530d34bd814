import { createHmac } from "node:crypto";
import { newId } from "@diegetic/contracts";
import { type Database, inTransaction } from "@diegetic/database";
import { hashPassword, verifyPassword } from "better-auth/crypto";

const PASSWORD_LETTERS = 16;

export interface DemoLogin {
  email: string;
  /** Deterministic for a secret. */
  password: string;
}

/**
 * Ensures that this e-mail address and password sign in to the demo account, even after the password was changed. The
 * user never becomes the operator. Call it after the history is written: `demoHistory` takes the login as proof of that.
 * @param secret the installation's: the password is derived from it, only its hash is stored
 */
export async function createDemoLogin(
  database: Database,
  accountId: string,
  secret: string,
): Promise<DemoLogin> {
  const password = createHmac("sha256", secret)
    .update("demo login")
    .digest("base64url")
    .slice(0, PASSWORD_LETTERS);
  const email = await addressFor(database, accountId);
  const known = await database.userCredential.findFirst({ where: { user: { email } } });
  const isRight = known?.password != null && (await verifyPassword({ hash: known.password, password }));
  const hash = isRight ? undefined : await hashPassword(password);
  await inTransaction(database, async (transaction) => {
    const user = await transaction.user.upsert({
      where: { email },
      create: { id: newId("usr"), name: "Demo", email, isDemo: true },
      update: {},
    });
    if (hash !== undefined) {
      const providerId_accountId = { providerId: "credential", accountId: user.id };
      await transaction.userCredential.upsert({
        where: { providerId_accountId },
        create: { id: newId("crd"), userId: user.id, ...providerId_accountId, password: hash },
        update: { password: hash },
      });
    }
    await transaction.accountMember.upsert({
      where: { accountId_userId: { accountId, userId: user.id } },
      create: { accountId, userId: user.id, role: "owner" },
      update: {},
    });
  });
  return { email, password };
}

/** The first address that is free or this demo's: others belong to users, or to demos of other accounts. */
async function addressFor(database: Database, accountId: string): Promise<string> {
  const suffix = accountId.slice(-8);
  for (let taken = 0; ; taken += 1) {
    const name = ["demo", `demo+${suffix}`][taken] ?? `demo+${suffix}-${taken}`;
    const email = `${name}@example.com`;
    const owner = await database.user.findUnique({ where: { email }, include: { memberships: true } });
    const isOwn = owner?.isDemo && owner.memberships.some((one) => one.accountId === accountId);
    if (owner === null || isOwn) return email;
  }
}
