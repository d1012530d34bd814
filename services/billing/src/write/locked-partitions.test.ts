import {
  DAY_MS,
  ensureImpressionPartition,
  inTransaction,
  Prisma,
  utcDay,
  withStatements,
} from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createMarket, recordIn } from "../testing/market.fixture.ts";
import { WriterStores } from "../testing/writer-stores.fixture.ts";
import { billImpression } from "./billed-impression.ts";
import { findStored } from "./impression-statements.ts";

const DAYS_KEPT = 12;

let stores: WriterStores;
beforeAll(async () => {
  stores = await WriterStores.open();
});
afterAll(() => stores.close());

describe("finding stored impressions", () => {
  it("locks no partition of another day", async () => {
    const { database } = stores;
    const market = await createMarket(database);
    const nowMs = Date.now();
    for (let ago = 0; ago < DAYS_KEPT; ago += 1) {
      await ensureImpressionPartition(database, utcDay(nowMs - ago * DAY_MS));
    }
    const impressions = [billImpression(recordIn(market, { campaign: 0, game: 0, user: 0 }), nowMs)];
    const locked = await inTransaction(database, (transaction) =>
      withStatements(transaction, async (statements) => {
        await findStored(statements, impressions);
        return statements.query<{ day: string }>(Prisma.sql`
          SELECT DISTINCT c.relname AS day FROM pg_locks l
          JOIN pg_inherits i ON i.inhrelid = l.relation AND i.inhparent = 'impressions'::regclass
          JOIN pg_class c ON c.oid = l.relation WHERE l.pid = pg_backend_pid()`);
      }),
    );
    expect(locked).toEqual([{ day: expect.stringContaining(utcDay(nowMs).replaceAll("-", "")) }]);
  });
});
