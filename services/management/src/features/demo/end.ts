import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import { sha256Hex } from "../../core/shared/sha256.ts";
import { SUSPENDED_EXPIRY } from "../api-keys/api-key.ts";
import { derivedKeySecret } from "../api-keys/key-secret.ts";
import { DEMO_CAMPAIGNS, statusOf } from "./market.ts";
import { demoGameKey } from "./play.ts";

const ACTIVE = { status: "active", pausePending: false } as const;
/** No request confirms it. A user's confirmed pause is not pending, and stays. */
const PAUSED_BY_END = { status: "paused", pausePending: true } as const;

const sha256OfKeys = (secret: string) =>
  [derivedKeySecret(secret, "demo key"), demoGameKey(secret)].map(sha256Hex);

/**
 * Ends all access to the demo account that follows from the installation's secret: its two keys, its login and the
 * login's sessions. Pauses the campaigns that came with it, which nobody could pause afterwards; keeps the account and
 * its data. Run it before management starts, which publishes it.
 */
export async function endDemoAccess(database: Database, secret: string): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const sha256 = { in: sha256OfKeys(secret) };
    const accounts = await transaction.apiKey.findMany({ where: { sha256 }, select: { accountId: true } });
    const { count } = await transaction.apiKey.updateMany({
      where: { sha256, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { not: SUSPENDED_EXPIRY } }] },
      data: { expiresAt: SUSPENDED_EXPIRY, version: { increment: 1 } },
    });
    const accountIds = accounts.map(({ accountId }) => accountId);
    // At later starts a campaign is active because somebody with a key of the account activated it.
    if (count > 0) await moveCampaigns(transaction, accountIds, { from: ACTIVE, to: PAUSED_BY_END });
    const accountId = { in: accountIds };
    const user = { isDemo: true, memberships: { some: { accountId } } };
    await transaction.userCredential.deleteMany({ where: { user } });
    await transaction.userSession.deleteMany({ where: { user } });
  });
}

/** Takes back what `endDemoAccess` did to the keys and campaigns. A key that somebody revoked stays revoked. */
export async function restoreDemoAccess(
  transaction: Transaction,
  accountId: string,
  secret: string,
): Promise<void> {
  const { count } = await transaction.apiKey.updateMany({
    where: { sha256: { in: sha256OfKeys(secret) }, expiresAt: SUSPENDED_EXPIRY },
    data: { expiresAt: null, version: { increment: 1 } },
  });
  if (count > 0) await moveCampaigns(transaction, [accountId], { from: PAUSED_BY_END, to: ACTIVE });
}

/** Of the campaigns that came with the demo, those that were active then. */
async function moveCampaigns(
  transaction: Transaction,
  accountIds: string[],
  { from, to }: Record<"from" | "to", typeof ACTIVE | typeof PAUSED_BY_END>,
): Promise<void> {
  const names = DEMO_CAMPAIGNS.filter((campaign) => statusOf(campaign) === "active").map(({ name }) => name);
  await transaction.campaign.updateMany({
    where: { advertiser: { accountId: { in: accountIds } }, name: { in: names }, ...from },
    data: { ...to, version: { increment: 1 } },
  });
}
