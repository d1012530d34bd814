import { entityName } from "@diegetic/contracts";
import { type Database, Prisma } from "@diegetic/database";
import { countSnapshotEntities, type RedisConnection, readSnapshotRows } from "@diegetic/hot-state";
import { pagesOf } from "../loops/pages.ts";
import {
  type Check,
  type Comparison,
  compare,
  equal,
  type Inspection,
  inspectionOf,
  lateCheck,
  type PairsOf,
} from "./comparison.ts";

const ROWS_PER_PAGE = 500;

/** A row that the snapshot must contain, or must have removed. */
interface PublishedRow {
  id: string;
  /** What its entity is named by. */
  key: string;
  version: number;
  isRemoved: boolean;
}

interface PublishedTable {
  table: Prisma.Sql;
  id: Prisma.Sql;
  /** Column that the entity is named by. */
  key: Prisma.Sql;
  /** Whether the row's entity was removed. */
  isRemoved: Prisma.Sql;
  /** Name of the entity in the snapshot. */
  name: (key: string) => string;
  /** By which a finding names its row. Default: the name. */
  subject?: (id: string) => string;
}

const ID = Prisma.sql`id`;
const NEVER = Prisma.sql`false`;
// The names of keys and sessions contain a secret's hash.
const SECRET = { id: ID, key: Prisma.sql`sha256`, isRemoved: Prisma.sql`revoked_at IS NOT NULL` };
const GAME_ID = Prisma.sql`game_id`;
const PUBLISHED: readonly PublishedTable[] = [
  { table: Prisma.sql`advertisers`, id: ID, key: ID, isRemoved: NEVER, name: entityName.advertiser },
  { table: Prisma.sql`campaigns`, id: ID, key: ID, isRemoved: NEVER, name: entityName.campaign },
  { table: Prisma.sql`placements`, id: GAME_ID, key: GAME_ID, isRemoved: NEVER, name: entityName.placement },
  { ...SECRET, table: Prisma.sql`api_keys`, name: entityName.apiKey, subject: entityName.apiKey },
  { ...SECRET, table: Prisma.sql`account_sessions`, name: entityName.session, subject: entityName.session },
];

const ROW_CHECKS: readonly Check<PairsOf<{ subject: string; version: number; inSnapshot: number }>>[] = [
  lateCheck("snapshot_rows", "Versions: snapshot = row", ({ subject, version, inSnapshot }) =>
    equal(subject, version, inSnapshot),
  ),
];

const ENTITY_CHECKS: readonly Check<PairsOf<{ rows: number; entities: number }>>[] = [
  lateCheck("snapshot_entities", "Entities: snapshot = rows", ({ rows, entities }) =>
    equal("all", rows, entities),
  ),
];

/** Inspects every row that match instances must know, page by page, then the number of entities. */
export async function* snapshotInspections(
  database: Database,
  redis: RedisConnection,
): AsyncGenerator<Inspection> {
  for (const table of PUBLISHED) {
    let after = "";
    for await (const page of pagesOf((start) => readPage(database, table, start))) {
      const start = after;
      // One name for all pages of a table: rows move between pages.
      yield inspectionOf(`snapshot_rows ${table.table.sql}`, async () =>
        compareRows(redis, table, await readPage(database, table, start)),
      );
      after = page.at(-1)?.id ?? after;
    }
  }
  yield inspectionOf("snapshot_entities", async () =>
    compare(ENTITY_CHECKS, {
      rows: await countPublished(database),
      entities: await countSnapshotEntities(redis),
    }),
  );
}

function readPage(
  database: Database,
  { table, id, key, isRemoved }: PublishedTable,
  after: string,
): Promise<PublishedRow[]> {
  return database.$queryRaw<PublishedRow[]>`
    SELECT ${id} AS id, ${key} AS key, version, ${isRemoved} AS "isRemoved" FROM ${table}
    WHERE ${id} > ${after} ORDER BY ${id} LIMIT ${ROWS_PER_PAGE}`;
}

async function compareRows(
  redis: RedisConnection,
  { name, subject }: PublishedTable,
  rows: readonly PublishedRow[],
): Promise<Comparison[]> {
  const found = await readSnapshotRows(
    redis,
    rows.map(({ key }) => name(key)),
  );
  return rows.flatMap(({ id, key, version, isRemoved }, i) => {
    const inSnapshot = found[i]?.exists === !isRemoved ? (found[i]?.version ?? -1) : -1;
    return compare(ROW_CHECKS, { subject: subject?.(id) ?? name(key), version, inSnapshot });
  });
}

async function countPublished(database: Database): Promise<number> {
  const counts = PUBLISHED.map(
    ({ table, isRemoved }) => Prisma.sql`(SELECT count(*) FROM ${table} WHERE NOT (${isRemoved}))`,
  );
  const [row] = await database.$queryRaw<[{ rows: bigint }]>`SELECT ${Prisma.join(counts, " + ")} AS rows`;
  return Number(row.rows);
}
