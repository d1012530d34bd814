import { walletIds } from "@diegetic/hot-state";
import type { World } from "../topology/world.ts";

/**
 * Slices of a wallet that may spend more than the advertiser's own wallet holds for them, at one moment: only on a single
 * Redis, where all slices are read in one step. Slices that were restored at another time than that wallet may not spend.
 * A late charge that a slice settles raises its budget by what it spends, before the advertiser's own wallet hears of it.
 */
export async function sampleGrants(
  world: World,
  { advertiserId, slices }: { advertiserId: string; slices: number },
  campaignIds: readonly string[],
): Promise<string[]> {
  const wallets = walletIds(advertiserId, slices);
  const transaction = world.directRedis.multi();
  for (const walletId of wallets) transaction.hmget(`{${walletId}}:account`, "lineage", "epoch");
  for (const walletId of wallets) transaction.hlen(`{${walletId}}:settled`);
  for (const campaignId of campaignIds) {
    transaction.hgetall(`{${advertiserId}}:grants:${campaignId}`);
    for (const walletId of wallets)
      transaction.hmget(`{${walletId}}:campaign:${campaignId}`, "budget", "spent");
  }
  const replies = ((await transaction.exec()) ?? []).map(([error, value]) => {
    if (error) throw error;
    return value;
  });
  const identities = replies.splice(0, wallets.length).map(String);
  const settled = replies.splice(0, wallets.length).map(Number);
  const wrong: string[] = [];
  for (const campaignId of campaignIds) {
    const [grants, ...totals] = replies.splice(0, 1 + wallets.length) as [
      Record<string, string>,
      ...[budget: string, spent: string][],
    ];
    for (const [slice, [budget, spentInSlice]] of totals.entries()) {
      if (slice === 0 || identities[slice] !== identities[0]) continue;
      const [, , granted = 0, spent = 0] = (grants[slice] ?? "").split("|").map(Number);
      const unreported = (settled[slice] ?? 0) > 0 ? Number(spentInSlice) - spent : 0;
      if (Number(budget) <= Math.max(granted, spent) + Math.max(unreported, 0)) continue;
      const known = grants[slice] ?? "nothing";
      wrong.push(
        `${new Date().toISOString()} ${wallets[slice]}: ${campaignId} was granted ${budget}, its own wallet knows ${known}`,
      );
    }
  }
  return wrong;
}
