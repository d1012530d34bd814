import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import { sha256Hex } from "../../core/shared/sha256.ts";
import { SUSPENDED_EXPIRY } from "../api-keys/api-key.ts";
import { derivedKeySecret } from "../api-keys/key-secret.ts";
import { demoGameKey } from "./play.ts";

const sha256OfKeys = (secret: string) =>
  [derivedKeySecret(secret, "demo key"), demoGameKey(secret)].map(sha256Hex);

/**
 * Ends all access to the demo account that follows from the installation's secret: its two keys, its login and the
 * login's sessions. Keeps the account and its data. Run it before management starts, which publishes it.
 */
export async function endDemoAccess(database: Database, secret: string): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const sha256 = { in: sha256OfKeys(secret) };
    const accounts = await transaction.apiKey.findMany({ where: { sha256 }, select: { accountId: true } });
    await transaction.apiKey.updateMany({
      where: { sha256, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { not: SUSPENDED_EXPIRY } }] },
      data: { expiresAt: SUSPENDED_EXPIRY, version: { increment: 1 } },
    });
    const accountId = { in: accounts.map((account) => account.accountId) };
    const user = { isDemo: true, memberships: { some: { accountId } } };
    await transaction.userCredential.deleteMany({ where: { user } });
    await transaction.userSession.deleteMany({ where: { user } });
  });
}

/** Restores the keys that `endDemoAccess` suspended. A key that somebody revoked stays revoked. */
export async function restoreDemoKeys(transaction: Transaction, secret: string): Promise<void> {
  await transaction.apiKey.updateMany({
    where: { sha256: { in: sha256OfKeys(secret) }, expiresAt: SUSPENDED_EXPIRY },
    data: { expiresAt: null, version: { increment: 1 } },
  });
}
