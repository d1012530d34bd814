import {
  DAY_MS,
  dateOfDay,
  ensureImpressionPartition,
  inTransaction,
  Prisma,
  type Statements,
  type Transaction,
  utcDay,
  withStatements,
} from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createMarket, type Market, recordIn } from "../testing/market.fixture.ts";
import { WriterStores } from "../testing/writer-stores.fixture.ts";
import { billImpression } from "./billed-impression.ts";
import { findStored } from "./impression-statements.ts";
import { billedOperationsStatement } from "./operations.ts";
import { listSettlements } from "./settlements.ts";

const DAYS_KEPT = 12;

let stores: WriterStores;
let market: Market;
const nowMs = Date.now();
const daysAgo = (ago: number) => utcDay(nowMs - ago * DAY_MS);
beforeAll(async () => {
  stores = await WriterStores.open();
  market = await createMarket(stores.database);
  for (let ago = -1; ago < DAYS_KEPT; ago += 1)
    await ensureImpressionPartition(stores.database, daysAgo(ago));
});
afterAll(() => stores.close());

const lockedBy = (search: (statements: Statements, transaction: Transaction) => Promise<unknown>) =>
  inTransaction(stores.database, (transaction) =>
    withStatements(transaction, async (statements) => {
      await search(statements, transaction);
      const locked = await statements.query<{ partition: string }>(Prisma.sql`
        SELECT DISTINCT c.relname AS partition FROM pg_locks l
        JOIN pg_inherits i ON i.inhrelid = l.relation AND i.inhparent = 'impressions'::regclass
        JOIN pg_class c ON c.oid = l.relation WHERE l.pid = pg_backend_pid() ORDER BY 1`);
      return locked.map(({ partition }) => partition);
    }),
  );
const partitionOf = (day: string) => expect.stringContaining(day.replaceAll("-", ""));
const recordNow = () => recordIn(market, { campaign: 0, game: 0, user: 0 });

describe("partitions that billing locks while it looks for earlier impressions", () => {
  it("are those of the searched days, for stored impressions", async () => {
    const impressions = [billImpression(recordNow(), nowMs)];
    const locked = await lockedBy((statements) => findStored(statements, impressions));
    expect(locked).toEqual([partitionOf(daysAgo(0))]);
  });

  it("are those a day around the impressions, for operations", async () => {
    const impressions = [{ ...recordNow(), operation_id: "op_1" }, recordNow()].map((record) =>
      billImpression({ ...record, recorded_at_ms: nowMs }, nowMs),
    );
    const statement = billedOperationsStatement(impressions) ?? Prisma.empty;
    const locked = await lockedBy((statements) => statements.query(statement));
    expect(locked).toEqual([1, 0, -1].map(daysAgo).map(partitionOf));
  });

  it("are those of the listed settlements", async () => {
    const { impression_id: impressionId, match } = recordNow();
    await stores.database.walletSettlement.create({
      data: {
        impressionId,
        kind: "late",
        advertiserId: match.advertiser_id,
        campaignId: match.campaign_id,
        gameId: match.game_id,
        matchId: match.match_id,
        priceMillicents: BigInt(match.price_millicents),
        day: dateOfDay(daysAgo(2)),
        committedInEpoch: 0n,
        walletSlice: 0,
      },
    });
    const locked = await lockedBy((_, transaction) => listSettlements(transaction, "", 10));
    expect(locked).toEqual([partitionOf(daysAgo(2))]);
  });
});
