import type { Database } from "@diegetic/database";

/** `unchanged`: it has as many slices, or more. `unknown`: there is no such advertiser. */
export type SliceWalletResult = "sliced" | "unchanged" | "unknown";

/**
 * Divides an advertiser's wallet among more hash slots (docs/scaling.md#slices); management publishes it. Never fewer than
 * it has: each slice keeps its matches.
 * @param slices 1 to 64, the advertiser's own included
 */
export async function sliceWallet(
  database: Database,
  advertiserId: string,
  slices: number,
): Promise<SliceWalletResult> {
  const changed = await database.advertiser.updateMany({
    where: { id: advertiserId, walletSlices: { lt: slices } },
    data: { walletSlices: slices, version: { increment: 1 } },
  });
  if (changed.count > 0) return "sliced";
  const known = await database.advertiser.findUnique({ where: { id: advertiserId }, select: { id: true } });
  return known === null ? "unknown" : "unchanged";
}
