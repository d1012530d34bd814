import type { RedisConnection } from "../connection.ts";
import { walletIdOf, walletKeys } from "../keys.ts";

/** The ids of an advertiser's wallets, the advertiser's own first: as many as it has slices. */
export async function walletIdsOf(redis: RedisConnection, advertiserId: string): Promise<string[]> {
  const slices = await redis.hget(walletKeys.account(advertiserId), "slices");
  return walletIds(advertiserId, Number(slices ?? 1));
}

export function walletIds(advertiserId: string, slices: number): string[] {
  return Array.from({ length: slices }, (_, slice) => walletIdOf(advertiserId, slice));
}
