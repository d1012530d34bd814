import { createHash } from "node:crypto";
import type { Database } from "@diegetic/database";
import { createSessionSummaryReader, type RedisConnection, type SessionSummary } from "@diegetic/hot-state";
import {
  atMost,
  type Check,
  type Comparison,
  compare,
  equal,
  type Inspection,
  inspectionOf,
  moneyCheck,
  type PairsOf,
} from "./comparison.ts";

const SHOWN_HASH_DIGITS = 12;
/** A session that began this soon after a limit changed may have used the old limit for its first match. */
const LIMIT_STABLE_AFTER_MS = 60_000;

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
