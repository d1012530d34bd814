import { readFileSync } from "node:fs";
import {
  createDatabase,
  createPipeline,
  migrate,
  type Pipeline,
  Prisma,
  type Statements,
} from "@diegetic/database";
import { startPostgres } from "@diegetic/local-stores";
import { billImpression } from "../../../services/billing/src/write/billed-impression.ts";
import { DayPartitions } from "../../../services/billing/src/write/day-partitions.ts";
import { type PreparedBatch, prepareBatch } from "../../../services/billing/src/write/prepare-batch.ts";
import { writeBatch } from "../../../services/billing/src/write/write-batch.ts";
import { metric } from "../frame/statistics.ts";
import type { Metric, Run, Suite } from "../frame/suite.ts";
import { Market } from "./market.ts";

/** Writing impressions, by statement: processor time of the Postgres backend. */
export const statements: Suite = { names: ["statements"], run: measure };

/** The batch size of a writer partition. */
const BATCH = 8_000;
/** Until batches meet existing rows. */
const WARM_UP_BATCHES = 4;
const NANOSECONDS_PER_MILLISECOND = 1e6;

type DeltaStatements = PreparedBatch["deltaStatements"];

/** Groups of the report: written tables, and rows per batch. */
const GROUPS: readonly {
  name: string;
  tables: string[];
  rows: (deltaStatements: DeltaStatements) => number;
}[] = [
  { name: "impressions", tables: ["impressions"], rows: () => BATCH },
  { name: "players", tables: ["reached_users"], rows: ({ groups }) => groups.reach.rows.length },
  {
    name: "games by campaign",
    tables: ["campaign_games"],
    rows: ({ deltas: of }) => of.campaignGames.length,
  },
  {
    name: "advertisers by game and day",
    tables: ["game_advertiser_rollups"],
    rows: ({ deltas: of }) => of.gameAdvertisers.length,
  },
  {
    name: "countries by campaign",
    tables: ["campaign_countries"],
    rows: ({ deltas: of }) => of.countries.length,
  },
  { name: "affinities", tables: ["affinities"], rows: ({ deltas: of }) => of.affinities.length },
  { name: "creatives", tables: ["creatives"], rows: ({ deltas: of }) => of.creatives.length },
  {
    name: "ledger",
    tables: ["ledger_entries"],
    rows: ({ deltas: of }) => 2 * of.charges.length + of.gameRollups.length,
  },
  {
    name: "campaigns, their days and versions, advertisers",
    tables: ["campaigns", "campaign_rollups", "campaign_version_rollups", "advertisers"],
    rows: ({ deltas: of }) =>
      of.campaigns.length + of.campaignRollups.length + of.campaignVersions.length + of.advertisers.length,
  },
  {
    name: "games in all and by day",
    tables: ["game_totals", "game_rollups"],
    rows: ({ deltas: of }) => of.gameTotals.length + of.gameRollups.length,
  },
];

async function measure(run: Run): Promise<Metric[]> {
  const postgres = await startPostgres({ dir: `${run.directory}/postgres` });
  run.defer(() => postgres.stop());
  await migrate(postgres.url);
  const database = createDatabase(postgres.url);
  run.defer(() => database.$disconnect());
  const pipeline = createPipeline(postgres.url, { poolSize: 1 });
  run.defer(() => pipeline.close());
  run.say(`the backend is process ${await backendOf(pipeline)}`);
  const market = new Market();
  await market.writeTo(database);
  const half = new Set(market.advertiserIds().filter((_, number) => number % 2 === 0));
  const partitions = new DayPartitions(database);
  const all: number[] = [];
  const byGroup = new Map<string, number[]>(GROUPS.map(({ name }) => [name, []]));
  let last: PreparedBatch | undefined;
  for (let batch = 0; batch < WARM_UP_BATCHES + run.rounds; batch += 1) {
    const impressions = market
      .impressions(4 * BATCH)
      .filter(({ match }) => half.has(match.advertiser_id))
      .slice(0, BATCH)
      .map((record) => billImpression(record, Date.now()));
    if (impressions.length < BATCH) throw new Error(`${impressions.length} impressions were drawn`);
    await partitions.ensure(impressions.map(({ day }) => day));
    const prepared = await prepareBatch(impressions);
    last = prepared;
    const timed = await timedBatch(pipeline, prepared);
    if (batch < WARM_UP_BATCHES) continue;
    all.push(timed.all);
    for (const { name, tables } of GROUPS) {
      byGroup
        .get(name)
        ?.push(tables.reduce((sum, table) => sum + (timed.byTable.get(table) ?? Number.NaN), 0));
    }
  }
  const { deltaStatements } = last as PreparedBatch;
  const unit = "ms";
  const ofGroup = ({ name, tables: [table], rows }: (typeof GROUPS)[number]) =>
    metric(
      {
        id: `billing_statement_${table}_ms`,
        label: `backend: ${name}`,
        unit,
        note: `${rows(deltaStatements)} rows`,
      },
      byGroup.get(name) ?? [],
    );
  const label = `backend: a batch of ${BATCH} impressions, with its commit`;
  return [...GROUPS.map(ofGroup), metric({ id: "billing_statements_ms", label, unit }, all)];
}

/** Processor time of the backend in a transaction, milliseconds: total, and by the table that a statement writes. */
async function timedBatch(
  pipeline: Pipeline,
  prepared: PreparedBatch,
): Promise<{ all: number; byTable: Map<string, number> }> {
  const byTable = new Map<string, number>();
  const backend = await backendOf(pipeline);
  const begunMs = processorMs(backend);
  const oneByOne: Pipeline = {
    close: () => pipeline.close(),
    query: (statement) => pipeline.query(statement),
    inTransaction: (work) =>
      pipeline.inTransaction(async (inner) => {
        let before: Promise<unknown> = Promise.resolve();
        const inTurn = <T>(sql: string, send: () => Promise<T>): Promise<T> => {
          const table = /(?:INSERT INTO|MERGE INTO|UPDATE) (\w+)/.exec(sql)?.[1] ?? "";
          const done = before.then(async () => {
            const startedMs = processorMs(backend);
            const answer = await send();
            byTable.set(table, (byTable.get(table) ?? 0) + processorMs(backend) - startedMs);
            return answer;
          });
          before = done;
          return done;
        };
        const timed: Statements = {
          query: (statement) => inTurn(statement.sql, () => inner.query(statement)),
          execute: (statement) => inTurn(statement.sql, () => inner.execute(statement)),
        };
        const result = await work(timed);
        await before;
        return result;
      }),
  };
  await writeBatch(oneByOne, prepared);
  return { all: processorMs(backend) - begunMs, byTable };
}

async function backendOf(pipeline: Pipeline): Promise<number> {
  const rows = await pipeline.inTransaction((inner) =>
    inner.query<{ pid: number }>(Prisma.sql`SELECT pg_backend_pid() AS pid`),
  );
  return rows[0]?.pid ?? 0;
}

/** Total so far, from the scheduler; Linux only. */
function processorMs(pid: number): number {
  const nanoseconds = readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ", 1)[0];
  return Number(nanoseconds) / NANOSECONDS_PER_MILLISECOND;
}
