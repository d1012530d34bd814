import { entityName } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import {
  countSnapshotEntities,
  createSessionSummaryReader,
  type RedisConnection,
  readSnapshotRows,
  type SessionSummary,
} from "@diegetic/hot-state";
import { pageAfter, pagesOf } from "../loops/pages.ts";
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

const ROWS_PER_PAGE = 500;

/** A row that the snapshot must contain, or must have removed. */
interface PublishedRow {
  id: string;
  /** Name of its entity in the snapshot. */
  name: string;
  version: number;
  isRemoved?: boolean;
}

type ReadPage = (database: Database, after: string) => Promise<PublishedRow[]>;

const SECRET_COLUMNS = { id: true, version: true, sha256: true, revokedAt: true };
const PUBLISHED_ROWS: readonly ReadPage[] = [
  async (database, after) => {
    const page = pageAfter(after, ROWS_PER_PAGE);
    const rows = await database.advertiser.findMany({ ...page, select: { id: true, version: true } });
    return rows.map((row) => ({ ...row, name: entityName.advertiser(row.id) }));
  },
  async (database, after) => {
    const page = pageAfter(after, ROWS_PER_PAGE);
    const rows = await database.campaign.findMany({ ...page, select: { id: true, version: true } });
    return rows.map((row) => ({ ...row, name: entityName.campaign(row.id) }));
  },
  async (database, after) => {
    const page = pageAfter(after, ROWS_PER_PAGE);
    const rows = await database.apiKey.findMany({ ...page, select: SECRET_COLUMNS });
    return rows.map((row) => ({
      ...row,
      name: entityName.apiKey(row.sha256),
      isRemoved: row.revokedAt !== null,
    }));
  },
  async (database, after) => {
    const page = pageAfter(after, ROWS_PER_PAGE);
    const rows = await database.accountSession.findMany({ ...page, select: SECRET_COLUMNS });
    return rows.map((row) => ({
      ...row,
      name: entityName.session(row.sha256),
      isRemoved: row.revokedAt !== null,
    }));
  },
  async (database, after) => {
    const rows = await database.placement.findMany({
      where: { gameId: { gt: after } },
      orderBy: { gameId: "asc" },
      take: ROWS_PER_PAGE,
      select: { gameId: true, version: true },
    });
    return rows.map(({ gameId: id, version }) => ({ id, name: entityName.placement(id), version }));
  },
];

const ROW_CHECKS: readonly Check<PairsOf<PublishedRow & { inSnapshot: number }>>[] = [
  lateCheck("snapshot_rows", "Versions: snapshot = row", ({ id, name, version, inSnapshot }) => {
    // Reported by kind and id: the name of a key or session contains a secret's hash.
    const [kind] = name.split(":", 1);
    const subject = kind === "key" || kind === "session" ? `${kind}:${id}` : name;
    return equal(subject, version, inSnapshot);
  }),
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
  for (const readPage of PUBLISHED_ROWS) {
    let after = "";
    for await (const page of pagesOf((start) => readPage(database, start))) {
      const start = after;
      yield inspectionOf(async () => compareRows(await readPage(database, start), redis));
      after = page.at(-1)?.id ?? after;
    }
  }
  yield inspectionOf(async () =>
    compare(ENTITY_CHECKS, {
      rows: await countPublished(database),
      entities: await countSnapshotEntities(redis),
    }),
  );
}

async function compareRows(rows: readonly PublishedRow[], redis: RedisConnection): Promise<Comparison[]> {
  const found = await readSnapshotRows(
    redis,
    rows.map(({ name }) => name),
  );
  return rows.flatMap((row, i) => {
    const { version, present } = found[i] ?? { version: null, present: false };
    const isRight = present !== (row.isRemoved ?? false);
    return compare(ROW_CHECKS, { ...row, inSnapshot: isRight ? (version ?? -1) : -1 });
  });
}

async function countPublished(database: Database): Promise<number> {
  return (
    (await database.advertiser.count()) +
    (await database.campaign.count()) +
    (await database.placement.count()) +
    (await database.apiKey.count({ where: { revokedAt: null } })) +
    (await database.accountSession.count({ where: { revokedAt: null } }))
  );
}

/** A session that began this soon after a limit changed may have used the old limit for its first match. */
const LIMIT_STABLE_AFTER_MS = 60_000;

interface LimitedSession {
  session: SessionSummary;
  /** Undefined: unknown, or changed after the session began. */
  placementLimit: number | undefined;
  /** By creative id; undefined likewise. */
  creativeLimit: (creativeId: string) => number | undefined;
}

const SESSION_CHECKS: readonly Check<PairsOf<LimitedSession>>[] = [
  moneyCheck(
    "session_seats",
    "Ads of a player session are at most the placement's limit",
    ({ session, placementLimit }) =>
      session.kind === "seats" && placementLimit !== undefined
        ? atMost(`${session.gameId} ${session.sessionKey}`, placementLimit, session.ads)
        : [],
  ),
  moneyCheck(
    "session_creatives",
    "Appearances of a creative in a session are at most its limit",
    ({ session, creativeLimit }) =>
      session.kind === "creatives"
        ? [...session.appearances].flatMap(([id, count]) => {
            const limit = creativeLimit(id);
            const subject = `${id} ${session.gameId} ${session.sessionKey}`;
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
    yield inspectionOf(async () => [
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
    placements.map(({ gameId, maxAdsPerSession, updatedAt }) => [
      gameId,
      { max: maxAdsPerSession, updatedAt },
    ]),
  );
  const creativeLimits = new Map<string, Limit>(
    creatives.map(({ id, maxUsesPerGame, campaign: { updatedAt } }) => [
      id,
      { max: maxUsesPerGame, updatedAt },
    ]),
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
