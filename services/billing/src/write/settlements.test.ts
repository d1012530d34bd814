import { DAY_MS } from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createMarket, recordIn } from "../testing/market.fixture.ts";
import { WriterStores } from "../testing/writer-stores.fixture.ts";
import { billImpression } from "./billed-impression.ts";
import {
  committedInEpoch,
  forgetOldSettlements,
  listSettlements,
  settlementsStatement,
} from "./settlements.ts";

const record = {
  impression_id: "imp_1",
  creative_id: "crea_1",
  recorded_at_ms: 1_763_900_000_000,
  match: {
    match_id: "match_1",
    advertiser_id: "adv_1",
    campaign_id: "camp_1",
    campaign_version: 1,
    game_id: "game_1",
    developer_account_id: "acct_1",
    user_hash: "u",
    session_key: "s",
    country_code: null,
    affinity_score: 0,
    affinities: [],
    price_millicents: 500,
    revenue_share_basis_points: 7_000,
    matched_at_ms: 1_763_900_000_000,
  },
};

describe("the recovery epoch of a record", () => {
  it.each([
    ["as it is written", { recovery_epoch: 7 }, 7],
    ["of a wallet that was never restored", {}, 0],
    ["that is damaged", { recovery_epoch: -1 }, 0],
  ])("%s", (_name, fields, epoch) => {
    expect(committedInEpoch({ ...record, ...fields })).toBe(epoch);
  });
});

describe("the settlements of late charges", () => {
  let stores: WriterStores;
  beforeAll(async () => {
    stores = await WriterStores.open();
  });
  afterAll(() => stores.close());

  it("are deleted in steps, three days after the wallet received them", async () => {
    const { database } = stores;
    const nowMs = Date.now();
    const settled = (name: string, count: number, daysAgo: number | null) => database.$executeRaw`
      INSERT INTO wallet_settlements (impression_id, kind, advertiser_id, campaign_id, game_id, match_id,
        price_millicents, day, committed_in_epoch, settled_at)
      SELECT ${name} || n, 'late', 'adv_old', 'c', 'g', 'm', 1, current_date, 0,
        ${daysAgo === null ? null : new Date(nowMs - daysAgo * DAY_MS)}::timestamptz
      FROM generate_series(1, ${count}::int) AS n`;
    await settled("old", 2_500, 4);
    await settled("young", 1, 2);
    await settled("open", 1, null);
    await database.$executeRaw`CREATE TABLE steps (rows BIGINT)`;
    await database.$executeRaw`
      CREATE FUNCTION record_step() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO steps SELECT count(*) FROM deleted; RETURN NULL; END $$`;
    await database.$executeRaw`
      CREATE TRIGGER record_step AFTER DELETE ON wallet_settlements
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_step()`;
    await forgetOldSettlements(database, nowMs, new AbortController().signal);
    await database.$executeRaw`DROP TRIGGER record_step ON wallet_settlements`;
    expect(await database.$queryRaw`SELECT rows::int FROM steps`).toEqual([
      { rows: 1_000 },
      { rows: 1_000 },
      { rows: 500 },
    ]);
    const left = await database.walletSettlement.findMany({ where: { advertiserId: "adv_old" } });
    expect(left.map(({ impressionId }) => impressionId).sort()).toEqual(["open1", "young1"]);
  });

  it("name the time at which Postgres has the impression, if it has it", async () => {
    const { database } = stores;
    const market = await createMarket(database);
    const nowMs = Date.now();
    const written = recordIn(market, { recordedAtMs: nowMs - 1_234 });
    const missing = recordIn(market, {});
    await stores.write([written]);
    const billed = [written, missing].map((one) => billImpression(one, nowMs));
    await database.$executeRaw(settlementsStatement("late", billed));
    const times = new Map(
      (await listSettlements(database, "", 10)).map((one) => [one.impressionId, one.recordedAtMs]),
    );
    expect(times).toEqual(
      new Map([
        [written.impression_id, written.recorded_at_ms],
        [missing.impression_id, null],
      ]),
    );
  });
});
