import type { DueIndex, GameSessions, MoneyCommands, TrafficRecorder } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import type { Catalog } from "../catalog/catalog.ts";
import type { MatchIds } from "../match-id/match-ids.ts";
import type { RefusalMemory } from "../refusal-memory/refusal-memory.ts";
import type { ShareRefusals } from "../refusal-memory/share-refusals.ts";
import type { MatchSettings } from "../settings.ts";

/** What the endpoints of the match tier work with. */
export interface MatchDependencies {
  settings: Pick<
    MatchSettings,
    | "holdTtlSeconds"
    | "sessionIdleSeconds"
    | "namedSessionIdleSeconds"
    | "rateLimitMatchPerGame"
    | "rateLimitImpressionsPerGame"
  >;
  playerHashKey: string;
  matchIds: MatchIds;
  catalog: Catalog;
  refusals: RefusalMemory;
  shareRefusals: ShareRefusals;
  money: MoneyCommands;
  sessions: GameSessions;
  due: DueIndex;
  traffic: Pick<TrafficRecorder, "match" | "impression" | "gameRefusal">;
  logger: Logger;
  /** Throws 503 unless what this instance knows of the snapshot is certainly still obeyed. */
  requireFresh(): void;
  /** When the lease expires under which this instance serves, by the clock of Redis: scripts refuse what was decided under an older one. */
  leaseExpiresMs(): number;
  /** Applies everything that is published by now; throws 503 when it cannot. */
  catchUp(): Promise<void>;
  nowMs(): number;
  /** At least 0 and below 1. */
  random(): number;
  countReservation(result: string): void;
}
