import { createDatabase } from "@diegetic/database";
import { walletIds } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { sliceWallet } from "../../../services/management/src/core/advertisers/slice-wallet.ts";
import type { World } from "../topology/world.ts";

/** Maximum of any wallet of a run. */
export const MAX_SLICES = 8;

/** Divides an advertiser's wallet into this many slices, and waits until management has published it. */
export async function divideWallet(
  world: World,
  advertiserId: string,
  { slices, timeoutMs }: { slices: number; timeoutMs: number },
): Promise<void> {
  const database = createDatabase(world.postgres.url, { poolSize: 1, applicationName: "faults" });
  const patience = { timeoutMs, everyMs: 100 };
  try {
    await eventually(async () => (await sliceWallet(database, advertiserId, slices)) !== "unknown", patience);
  } finally {
    await database.$disconnect();
  }
  await eventually(async () => {
    const [row] = await world.query<{ is_published: boolean }>(
      "SELECT published_version >= version AS is_published FROM advertisers WHERE id = $1",
      [advertiserId],
    );
    return row?.is_published;
  }, patience);
}

/** An advertiser and its wallets, the advertiser's own first. */
export interface AdvertiserWallets {
  advertiserId: string;
  walletIds: string[];
}

/** From Postgres; throws while it is unavailable. */
export async function readWallets(world: World): Promise<AdvertiserWallets[]> {
  const rows = await world.query<{ id: string; wallet_slices: number }>(
    "SELECT id, wallet_slices FROM advertisers ORDER BY id",
  );
  return rows.map(({ id, wallet_slices }) => ({ advertiserId: id, walletIds: walletIds(id, wallet_slices) }));
}
