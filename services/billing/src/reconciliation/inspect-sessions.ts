import type { Database } from "@diegetic/database";
import type { SessionSummary, SessionSummaryReader } from "@diegetic/hot-state";
import { type Comparison, Comparisons } from "./comparison.ts";
import type { Inspection } from "./inspection.ts";

/** A limit that was changed so shortly before a session began may have been another one for its first match. */
const SETTLED_AFTER_MS = 60_000;

/**
 * What is found by the names of keys in Redis: wallets, which all have to belong to somebody, and what living player
 * sessions have been given, against the limits of placements and creatives. Sessions that began before the
 * limit was changed last are left out: what they were given may have been allowed.
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

/** A wallet of nobody serves nobody, but its outbox would never be looked at. */
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
    const isUnder = (changed: Date) => sinceMs > changed.getTime() + SETTLED_AFTER_MS;
    if (session.kind === "places") {
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
