import { createMoneyCommands } from "@diegetic/hot-state";
import { createTestDatabase } from "@diegetic/testing/database";
import { TEST_CLAIM } from "@diegetic/testing/open-wallet";
import { startTestRedis } from "@diegetic/testing/redis";
import { afterEach, expect, it } from "@jest/globals";
import { ADVERTISERS, CAMPAIGNS_EACH, LOSSES, ManyAdvertisers } from "./recovery-time.fixture.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** npm run bench:recovery measures how long that takes. */
it(`restores ${ADVERTISERS} advertisers, ${Object.keys(LOSSES).join(" or ")}`, async () => {
  const [postgres, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  closers.push(
    () => postgres.drop(),
    () => server.stop(),
  );
  const many = await ManyAdvertisers.open({ databaseUrl: postgres.url, redisUrl: server.url });
  closers.push(() => many.close());
  const money = createMoneyCommands(many.redis);
  for (const lose of Object.values(LOSSES)) {
    await many.timeRecovery(lose);
    for (const n of [1, ADVERTISERS / 2, ADVERTISERS]) {
      const row = await many.management.database.advertiser.findUniqueOrThrow({ where: { id: `adv_${n}` } });
      expect(await money.freezeUnlessLive(`adv_${n}`, Number(row.recoveryEpoch), TEST_CLAIM)).toEqual({
        state: "live",
      });
      expect(await money.readAccount(`adv_${n}`)).toMatchObject({ spentMillicents: 5_000, impressions: 5 });
      expect(await money.readCampaign(`adv_${n}`, `camp_${n}_${CAMPAIGNS_EACH}`)).toMatchObject({
        spentMillicents: 1_000,
      });
    }
  }
}, 300_000);
