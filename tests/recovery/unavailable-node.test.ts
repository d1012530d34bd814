import { createTestDatabase } from "@diegetic/testing/database";
import { afterEach, expect, it } from "@jest/globals";
import { createInstance } from "../../services/management/src/testing/harness.ts";
import { startCluster } from "./cluster.fixture.ts";
import { insertAdvertisers } from "./many-advertisers.fixture.ts";

const ADVERTISERS = 60;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it("one full node of a cluster keeps neither others' changes nor the snapshot back, and has its own later", async () => {
  const [postgres, cluster] = await Promise.all([createTestDatabase(), startCluster()]);
  closers.push(() => postgres.drop(), cluster.close);
  const stores = { databaseUrl: postgres.url, redisUrl: cluster.url };
  const management = createInstance(stores);
  closers.push(() => management.stop());
  const { database, repairLoop } = management;
  await insertAdvertisers(database, { advertisers: ADVERTISERS, campaignsEach: 1 });
  await management.start();
  // Only the rounds of this test mend anything.
  await repairLoop.stop();
  const homes = await Promise.all(
    cluster.nodes.map(async ({ connection }) => ({
      connection,
      ids: (await connection.keys("{adv_*}:account")).map((key) => key.slice(1, key.indexOf("}"))),
      snapshot: await connection.keys("{snapshot}:*"),
    })),
  );
  const full = homes.find(({ ids, snapshot }) => ids.length > 0 && snapshot.length === 0);
  const home = homes.find(({ snapshot }) => snapshot.length > 0);
  if (full === undefined || home === undefined) throw new Error("the cluster has no such nodes");

  await database.$executeRaw`UPDATE advertisers SET version = version + 1`;
  await database.$executeRaw`UPDATE campaigns SET version = version + 1`;
  await full.connection.config("SET", "maxmemory", "1");
  const left = async () => {
    const rows = await database.$queryRaw<{ id: string }[]>`
      SELECT id FROM advertisers WHERE published_version < version
      UNION SELECT advertiser_id FROM campaigns WHERE published_version < version`;
    return rows.map(({ id }) => id).sort();
  };
  await repairLoop.round();
  await expect(repairLoop.round()).rejects.toThrow("OOM");
  expect(await left()).toEqual(full.ids.toSorted());

  await home.connection.del(home.snapshot);
  const another = createInstance(stores);
  closers.push(() => another.stop());
  await another.start();
  await another.repairLoop.stop();
  await another.readiness.snapshot?.();
  expect(await left()).toEqual(full.ids.toSorted());

  await full.connection.config("SET", "maxmemory", "0");
  for (let round = 0; round < 2; round++) await repairLoop.round();
  expect(await left()).toEqual([]);
});
