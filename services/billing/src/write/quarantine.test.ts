import type { ImpressionRecord } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { expectTotals } from "../testing/expected-totals.fixture.ts";
import { createMarket, recordIn } from "../testing/market.fixture.ts";
import { WriterStores } from "../testing/writer-stores.fixture.ts";
import { billImpression } from "./billed-impression.ts";
import { newImpressionsStatement } from "./impression-statements.ts";
import { settlementsStatement } from "./settlements.ts";

let stores: WriterStores;
let database: Database;

beforeAll(async () => {
  stores = await WriterStores.open();
  database = stores.database;
});
afterAll(() => stores.close());

/** What another worker does that was refused for money: it has the advertiser's row, and sees no impression. */
async function quarantine(worker: Pick<Database, "$executeRaw">, record: ImpressionRecord): Promise<void> {
  await worker.$executeRaw`INSERT INTO quarantined_impressions (impression_id, advertiser_id, record, reason)
    VALUES (${record.impression_id}, ${record.match.advertiser_id}, ${JSON.stringify(record)}, 'no money')`;
  await worker.$executeRaw(settlementsStatement("reversed", [billImpression(record, Date.now())]));
}

/** Waits until a statement that holds the text waits for a lock. */
async function someoneWaitsFor(text: string): Promise<void> {
  await eventually(async () => {
    const waiting = await database.$queryRaw<unknown[]>`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${`%${text}%`}`;
    return waiting.length === 1;
  });
}

describe("a record that another worker quarantines", () => {
  it.each([
    ["of new records", 0],
    ["that had come before in part", 3],
  ])(
    "is not written by a batch %s that had inserted it, and waited for the advertiser",
    async (_name, before) => {
      const market = await createMarket(database);
      const records = Array.from({ length: 8 }, (_, campaign) => recordIn(market, { campaign }));
      await stores.write(records.slice(0, before));
      const aside = records[4] as ImpressionRecord;
      let writing: Promise<void> | undefined;
      await database.$transaction(
        async (worker) => {
          await worker.$queryRaw`SELECT id FROM advertisers WHERE id = ${aside.match.advertiser_id} FOR UPDATE`;
          writing = stores.write(records);
          await someoneWaitsFor("UPDATE advertisers");
          await quarantine(worker, aside);
        },
        { timeout: 120_000 },
      );
      await writing;
      await expectTotals(
        database,
        market,
        records.filter((record) => record !== aside),
      );
      const settlements = await database.walletSettlement.findMany({
        where: { advertiserId: aside.match.advertiser_id, kind: "reversed" },
      });
      expect(settlements.map(({ impressionId }) => impressionId)).toEqual([aside.impression_id]);
    },
  );

  it("stays written when a batch is about to commit it: quarantining waits and checks again", async () => {
    const market = await createMarket(database);
    const record = recordIn(market);
    const where = { id: record.match.advertiser_id };
    await database.advertiser.update({ where, data: { depositedMillicents: 0n } });
    let otherBatch: Promise<unknown> | undefined;
    const commitWhenSomebodyWaits = () =>
      new Promise<void>((locked) => {
        otherBatch = database.$transaction(
          async (worker) => {
            await worker.$executeRaw(newImpressionsStatement([billImpression(record, Date.now())]));
            await worker.advertiser.update({ where, data: { depositedMillicents: 1_000n } });
            locked();
            await someoneWaitsFor("FROM advertisers");
          },
          { timeout: 120_000 },
        );
      });
    const refused = new Proxy(database, {
      get(target, name, receiver) {
        const value = Reflect.get(target, name, receiver);
        if (name !== "$transaction") return value;
        return async (...given: unknown[]) => {
          await commitWhenSomebodyWaits();
          return Reflect.apply(value as (...given: unknown[]) => unknown, target, given);
        };
      },
    });
    await stores.write([record], refused);
    await otherBatch;
    const { impression_id: impressionId } = record;
    expect(await database.impression.count({ where: { impressionId } })).toBe(1);
    expect(await database.quarantinedImpression.count({ where: { impressionId } })).toBe(0);
    expect(await database.walletSettlement.count({ where: { impressionId } })).toBe(0);
  });
});

describe("a damaged outbox entry", () => {
  /** Damaged while a batch that has the sound record is about to commit. */
  async function damagedWhileWriting(record: ImpressionRecord, text: string): Promise<number> {
    const { impression_id: impressionId, match } = record;
    let keeping: Promise<void> | undefined;
    await database.$transaction(
      async (batch) => {
        await batch.$executeRaw(newImpressionsStatement([billImpression(record, Date.now())]));
        await batch.$queryRaw`SELECT id FROM advertisers WHERE id = ${match.advertiser_id} FOR UPDATE`;
        keeping = stores.quarantineDamaged(match.advertiser_id, [{ field: impressionId, text }]);
        await Promise.race([keeping, someoneWaitsFor("FROM advertisers")]);
      },
      { timeout: 120_000 },
    );
    await keeping;
    expect(await database.impression.count({ where: { impressionId } })).toBe(1);
    return database.quarantinedImpression.count({ where: { impressionId } });
  }

  it.each([
    ["nothing of it can be read", () => "{"],
    [
      "its match can still be read",
      (record: ImpressionRecord) => JSON.stringify({ match: { match_id: record.match.match_id } }),
    ],
  ])("is not quarantined when a batch is about to commit the impression: %s", async (_name, textOf) => {
    const record = recordIn(await createMarket(database));
    expect(await damagedWhileWriting(record, textOf(record))).toBe(0);
  });

  it("is quarantined when it is another match's", async () => {
    const record = recordIn(await createMarket(database));
    expect(await damagedWhileWriting(record, '{"match":{"match_id":"mat_other"}}')).toBe(1);
  });
});
