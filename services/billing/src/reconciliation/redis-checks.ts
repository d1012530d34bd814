import { createHash } from "node:crypto";
import { entityName } from "@diegetic/contracts";
import { type Database, Prisma } from "@diegetic/database";
import {
  countSnapshotEntities,
  createSessionSummaryReader,
  type RedisConnection,
  readSnapshotRows,
  type SessionSummary,
} from "@diegetic/hot-state";
import { pagesOf } from "../loops/pages.ts";
import {
  atMost,
  type Check,
  type Comparison,
  compare,
  equal,
  type Inspection,
  inspectionOf,
  lateCheck,
  moneyCheck,
  type PairsOf,
} from "./comparison.ts";

const SHOWN_HASH_DIGITS = 12;
/** A session that began this soon after a limit changed may have used the old limit for its first match. */
const LIMIT_STABLE_AFTER_MS = 60_000;
const ROWS_PER_PAGE = 500;

interface LimitedSession {
  session: SessionSummary;
  /** Undefined: unknown, or changed after the session began. */
  placementLimit: number | undefined;
  /** By creative id; undefined likewise. */
  creativeLimit: (creativeId: string) => number | undefined;
}

/** Tells sessions of a game apart in findings, which logs keep: `npm run erase` cannot remove a player's session key there. */
function shortHashOf({ sessionKey }: SessionSummary): string {
  return createHash("sha256").update(sessionKey).digest("hex").slice(0, SHOWN_HASH_DIGITS);
}

const SESSION_CHECKS: readonly Check<PairsOf<LimitedSession>>[] = [
  moneyCheck(
    "session_seats",
    "Ads of a player session are at most the placement's limit",
    ({ session, placementLimit }) =>
      session.kind === "seats" && placementLimit !== undefined
        ? atMost(`${session.gameId} ${shortHashOf(session)}`, placementLimit, session.ads)
        : [],
  ),
  moneyCheck(
    "session_creatives",
    "Appearances of a creative in a session are at most its limit",
    ({ session, creativeLimit }) =>
      session.kind === "creatives"
        ? [...session.appearances].flatMap(([id, count]) => {
            const limit = creativeLimit(id);
            const subject = `${id} ${session.gameId} ${shortHashOf(session)}`;
            return limit === undefined ? [] : atMost(subject, limit, count);
          })
        : [],
  ),
];

const OWNER_CHECKS: readonly Check<PairsOf<{ id: string; isKnown: boolean }>>[] = [
  // A wallet without an advertiser does not serve, but nobody would drain its outbox.
  moneyCheck("wallet_known", "Wallets in Redis: each of an advertiser in Postgres", ({ id, isKnown }) =>
    equal(id, 1, isKnown ? 1 : 0),
  ),
];

/**
 * Inspects what is found by key names in Redis: every wallet must belong to a known advertiser, and live player
 * sessions must respect the limits of placements and creatives. Skips sessions that began before the last change of a
 * limit.
 * @param maxKeys keys of any kind to scan
 */
export async function* sessionInspections(
  database: Database,
  redis: RedisConnection,
  maxKeys: number,
): AsyncGenerator<Inspection> {
  const reader = createSessionSummaryReader(redis);
  for await (const { advertiserIds, sessions } of reader.names(maxKeys)) {
    yield inspectionOf("sessions", async () => [
      ...(await compareOwners(database, advertiserIds)),
      ...(await compareSessions(database, await reader.read(sessions))),
    ]);
  }
}

async function compareOwners(database: Database, owners: readonly string[]): Promise<Comparison[]> {
  const known = await database.advertiser.findMany({
    where: { id: { in: [...owners] } },
    select: { id: true },
  });
  const ids = new Set(known.map(({ id }) => id));
  return owners.flatMap((id) => compare(OWNER_CHECKS, { id, isKnown: ids.has(id) }));
}

async function compareSessions(
  database: Database,
  sessions: readonly SessionSummary[],
): Promise<Comparison[]> {
  const placements = await database.placement.findMany({
    where: { gameId: { in: [...new Set(sessions.map(({ gameId }) => gameId))] } },
    select: { gameId: true, maxAdsPerSession: true, updatedAt: true },
  });
  const creativeIds = sessions.flatMap((session) =>
    session.kind === "creatives" ? [...session.appearances.keys()] : [],
  );
  const creatives = await database.creative.findMany({
    where: { id: { in: [...new Set(creativeIds)] } },
    select: { id: true, maxUsesPerGame: true, campaign: { select: { updatedAt: true } } },
  });
  const placementLimits = new Map<string, Limit>(
    placements.map(({ gameId, maxAdsPerSession: max, updatedAt }) => [gameId, { max, updatedAt }]),
  );
  const creativeLimits = new Map<string, Limit>(
    creatives.map(({ id, maxUsesPerGame: max, campaign: { updatedAt } }) => [id, { max, updatedAt }]),
  );
  return sessions.flatMap((session) =>
    compare(SESSION_CHECKS, {
      session,
      placementLimit: limitDuring(session, placementLimits.get(session.gameId)),
      creativeLimit: (id) => limitDuring(session, creativeLimits.get(id)),
    }),
  );
}

interface Limit {
  max: number;
  updatedAt: Date;
}

function limitDuring({ sinceMs }: SessionSummary, limit: Limit | undefined): number | undefined {
  if (limit === undefined) return undefined;
  return sinceMs > limit.updatedAt.getTime() + LIMIT_STABLE_AFTER_MS ? limit.max : undefined;
}

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
