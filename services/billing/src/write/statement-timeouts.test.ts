import { type Database, StatementTimeout } from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { expectTotals } from "../testing/expected-totals.fixture.ts";
import { createMarket, type Market, recordIn } from "../testing/market.fixture.ts";
import { WriterStores } from "../testing/writer-stores.fixture.ts";

let stores: WriterStores;
let database: Database;

beforeAll(async () => {
  stores = await WriterStores.open();
  database = stores.database;
  await database.$executeRaw`CREATE SEQUENCE attempts`;
});
afterAll(() => stores.close());

/** From now on inserts of more impressions than that run out of time, and all are counted. */
async function limitInserts(most: number): Promise<void> {
  await database.$executeRawUnsafe(`CREATE OR REPLACE FUNCTION run_out_of_time() RETURNS trigger AS $$ BEGIN
    PERFORM nextval('attempts');
    IF (SELECT count(*) FROM inserted) > ${most} THEN
      RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
    END IF;
    RETURN NULL; END $$ LANGUAGE plpgsql`);
  await database.$executeRaw`CREATE OR REPLACE TRIGGER run_out_of_time AFTER INSERT ON impressions
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION run_out_of_time()`;
  await database.$queryRaw`SELECT setval('attempts', 1, false)::text`;
}

async function countAttempts(): Promise<number> {
  const [next] = await database.$queryRaw<{ next: number }[]>`SELECT nextval('attempts')::int AS next`;
  return (next?.next ?? 0) - 1;
}

const recordsIn = (market: Market, count: number) =>
  Array.from({ length: count }, (_, n) => recordIn(market, { campaign: n, game: n % 2, user: n % 50 }));

describe("a batch that runs out of time", () => {
  it("is halved until its statements have time enough", async () => {
    const market = await createMarket(database);
    const records = recordsIn(market, 2_500);
    await limitInserts(700);
    await stores.write(records);
    await expectTotals(database, market, records);
    expect(await database.quarantinedImpression.count()).toBe(0);
    // 2 500, twice 1 250, four times 625.
    expect(await countAttempts()).toBe(7);
  });

  it("is halved down to its records, because few of them may take all the time", async () => {
    const market = await createMarket(database);
    const records = recordsIn(market, 5);
    await limitInserts(1);
    await stores.write(records);
    await expectTotals(database, market, records);
    expect(await countAttempts()).toBe(9);
  });

  it("is given back when one record has not time enough either: it is not a matter of size", async () => {
    const market = await createMarket(database);
    await limitInserts(0);
    await expect(stores.write(recordsIn(market, 2_500))).rejects.toThrow(StatementTimeout);
    await expectTotals(database, market, []);
    // 2 500, 1 250, 625, 313, 157, 79, 40, 20, 10, 5, 3, 2, 1.
    expect(await countAttempts()).toBe(13);
    expect(await database.quarantinedImpression.count()).toBe(0);
  });
});
