import type { Database } from "@diegetic/database";
import type { SessionSummary, SessionSummaryReader } from "@diegetic/hot-state";
import { type Comparison, Comparisons } from "./comparison.ts";
import type { Inspection } from "./inspection.ts";

/** A session that began this soon after a limit changed may have used the old limit for its first match. */
const LIMIT_STABLE_AFTER_MS = 60_000;

/**
 * Inspects what is found by key names in Redis: every wallet must belong to a known advertiser, and live player
 * sessions must respect the limits of placements and creatives. Skips sessions that began before the last change of a
 * limit.
 */
export async function* sessionInspections(
  database: Database,
  sessions: SessionSummaryReader,
  keysLookedAt: number,
): AsyncGenerator<Inspection> {
  for await (const names of sessions.names(keysLookedAt)) {
    yield {
      name: "sessions",
      async look() {
        const comparisons = [
          ...(await compareOwners(database, names.hashSlotOwners)),
          ...(await compare(database, await sessions.read(names.sessions))),
        ];
        return { comparisons, notCompared: [] };
      },
    };
  }
}

/** A wallet without an advertiser does not serve, but nobody would drain its outbox. */
async function compareOwners(database: Database, hashSlotOwners: readonly string[]): Promise<Comparison[]> {
  const known = await database.advertiser.findMany({
    where: { id: { in: [...hashSlotOwners] } },
    select: { id: true },
  });
  const ids = new Set(known.map(({ id }) => id));
  const checks = new Comparisons("");
  for (const id of hashSlotOwners) checks.equal("wallet_known", id, 1, ids.has(id) ? 1 : 0);
  return checks.list;
}

async function compare(database: Database, sessions: readonly SessionSummary[]): Promise<Comparison[]> {
  const checks = new Comparisons("");
  const gameIds = new Set(sessions.map(({ gameId }) => gameId));
  const placements = await database.placement.findMany({
    where: { gameId: { in: [...gameIds] } },
    select: { gameId: true, maxAdsPerSession: true, updatedAt: true },
  });
  const placementOf = new Map(placements.map((placement) => [placement.gameId, placement]));
  const creativeIds = sessions.flatMap((each) =>
    each.kind === "creatives" ? [...each.appearances.keys()] : [],
  );
  const creatives = await database.creative.findMany({
    where: { id: { in: [...new Set(creativeIds)] } },
    select: { id: true, maxUsesPerGame: true, campaign: { select: { updatedAt: true } } },
  });
  const creativeOf = new Map(creatives.map((creative) => [creative.id, creative]));
  for (const session of sessions) {
    const { sessionKey, gameId, sinceMs } = session;
    const isUnder = (changed: Date) => sinceMs > changed.getTime() + LIMIT_STABLE_AFTER_MS;
    if (session.kind === "seats") {
      const placement = placementOf.get(gameId);
      if (placement === undefined || !isUnder(placement.updatedAt)) continue;
      checks.atMost("session_places", `${gameId} ${sessionKey}`, placement.maxAdsPerSession, session.ads);
      continue;
    }
    for (const [id, count] of session.appearances) {
      const creative = creativeOf.get(id);
      if (creative === undefined || !isUnder(creative.campaign.updatedAt)) continue;
      const subject = `${id} ${gameId} ${sessionKey}`;
      checks.atMost("session_creatives", subject, creative.maxUsesPerGame, count);
    }
  }
  return checks.list;
}
