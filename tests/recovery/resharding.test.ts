import { createWalletReader, walletIdOf } from "@diegetic/hot-state";
import { createTestDatabase } from "@diegetic/testing/database";
import { HashSlotMove } from "@diegetic/testing/hash-slot-move";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterEach, describe, expect, it } from "@jest/globals";
import { sliceWallet } from "../../services/management/src/core/advertisers/slice-wallet.ts";
import { createInstance } from "../../services/management/src/testing/harness.ts";
import { startCluster } from "./cluster.fixture.ts";
import { insertAdvertisers } from "./many-advertisers.fixture.ts";
import { type Served, Town } from "./town.fixture.ts";

/** More than one round of the repair loop looks at. */
const ADVERTISERS = 700;
const ALL_KEYS = 10_000;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function first(others: number[]): number {
  return others[0] ?? 0;
}

describe("a hash slot that a cluster gives to another node", () => {
  it.each([0, 2])(
    "serves again after the next round, also a slice (%i), however many advertisers there are",
    async (slice) => {
      const { url, nodes, close } = await startCluster();
      closers.push(close);
      const postgres = await createTestDatabase();
      closers.push(() => postgres.drop());
      const management = createInstance({ databaseUrl: postgres.url, redisUrl: url });
      closers.push(() => management.stop());
      const { database, repairLoop } = management;
      await insertAdvertisers(database, { advertisers: ADVERTISERS, campaignsEach: 0 });
      const [looked] = await database.advertiser.findMany({ orderBy: { id: "asc" }, take: 1 });
      const id = looked?.id ?? "";
      if (slice > 0) await sliceWallet(database, id, slice + 1);
      const redis = connectTestRedis(url);
      closers.push(() => redis.disconnect());
      const reader = createWalletReader(redis);
      const isLive = async () => {
        const summary = await reader.read(id, [], { holds: 10, records: 10, lateMs: 1_000 });
        return summary?.account?.live;
      };
      // Everything is looked at, then the first page once more: its turn is over.
      await repairLoop.round();

      expect(await isLive()).toBe(true);

      const move = await HashSlotMove.begin(nodes, walletIdOf(id, slice), first);
      await move.some(ALL_KEYS);
      await move.finish();
      expect(await isLive()).toBe(false);
      await repairLoop.round();
      expect(await isLive()).toBe(true);
    },
  );
});

describe("a node lost while a wallet moves away from it", () => {
  it("takes the open holds with it, and none of their money", async () => {
    const { url, nodes, close } = await startCluster();
    closers.push(close);
    const town = await Town.open(url, { depositCents: 20, budgetCents: 10 });
    closers.push(() => town.close());
    await town.play(3);
    await town.agree(3);
    const open: Served[] = [await town.served(), await town.served()];

    const move = await HashSlotMove.begin(nodes, town.advertiserId, first);
    const old = nodes[move.from]?.connection;
    const keys = (await old?.keys(`{${town.advertiserId}}:*`)) ?? [];
    await move.keys(keys.filter((key) => !/:(holds|matches|pending|history)/.test(key)));
    await old?.flushall();
    await move.finish();

    await town.served();
    for (const match of open) expect(await town.statusOf(match)).toBe(409);
    await town.play(6);
    expect((await town.match()).status).toBe(204);
    await town.agree(9); // One of ten is held by the match that was served above.
  });
});
