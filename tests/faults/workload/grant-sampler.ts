import { walletIds } from "@diegetic/hot-state";
import type { World } from "../topology/world.ts";

/**
 * Slices of a wallet that may spend more than the advertiser's own wallet holds for them, at one moment: only on a single
 * Redis, where all slices are read in one step. Slices that were restored at another time than that wallet may not spend.
 */
export async function sampleGrants(
  world: World,
  { advertiserId, slices }: { advertiserId: string; slices: number },
  campaignIds: readonly string[],
): Promise<string[]> {
  const wallets = walletIds(advertiserId, slices);
  const transaction = world.directRedis.multi();
  for (const walletId of wallets) transaction.hmget(`{${walletId}}:account`, "lineage", "epoch");
  for (const campaignId of campaignIds) {
    transaction.hgetall(`{${advertiserId}}:grants:${campaignId}`);
    for (const walletId of wallets) transaction.hget(`{${walletId}}:campaign:${campaignId}`, "budget");
  }
  const replies = ((await transaction.exec()) ?? []).map(([error, value]) => {
    if (error) throw error;
    return value;
  });
  const identities = replies.splice(0, wallets.length).map(String);
  const wrong: string[] = [];
  for (const campaignId of campaignIds) {
    const [grants, ...budgets] = replies.splice(0, 1 + wallets.length) as [
      Record<string, string>,
      ...string[],
    ];
    for (const [slice, budget] of budgets.entries()) {
      if (slice === 0 || identities[slice] !== identities[0]) continue;
      const [, , granted = 0, spent = 0] = (grants[slice] ?? "").split("|").map(Number);
      if (Number(budget) <= Math.max(granted, spent)) continue;
      const known = grants[slice] ?? "nothing";
      wrong.push(
        `${new Date().toISOString()} ${wallets[slice]}: ${campaignId} was granted ${budget}, its own wallet knows ${known}`,
      );
    }
  }
  return wrong;
}
