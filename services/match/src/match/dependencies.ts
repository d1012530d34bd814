import type {
  DueIndex,
  GameSessions,
  MoneyCommands,
  ReserveAndAdmit,
  SliceGrants,
  TrafficRecorder,
} from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import type { Catalog } from "../catalog/catalog.ts";
import type { MatchIds } from "../match-id/match-ids.ts";
import type { ShareRefusals } from "../refusals/share-refusals.ts";
import type { MatchSettings } from "../settings.ts";

export interface MatchDependencies {
  settings: MatchSettings;
  playerHashKey: string;
  matchIds: MatchIds;
  catalog: Catalog;
  /** Restores campaigns whose refusal has ended. */
  tidyBetweenRequests(): void;
  shareRefusals: ShareRefusals;
  money: MoneyCommands;
  grants: SliceGrants;
  sessions: GameSessions;
  reserveAndAdmit: ReserveAndAdmit;
  due: DueIndex;
  traffic: TrafficRecorder;
  logger: Logger;
  /** Throws 503 unless the lease guarantees that this instance's snapshot is current. */
  requireFresh(): void;
  /** End of this instance's lease by the clock of Redis. Scripts refuse decisions made under an expired lease. */
  leaseExpiresMs(): number;
  /** Applies everything published so far; throws 503 when it cannot. */
  catchUp(): Promise<void>;
  nowMs(): number;
  /** In [0, 1). */
  random(): number;
  countReservation(result: string): void;
}
