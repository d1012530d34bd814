import { setImmediate as nextTurn } from "node:timers/promises";
import type { Prisma } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import {
  campaignGamesStatement,
  gameAdvertisersStatement,
  gameRollupsStatement,
  gameTotalsStatement,
  ledgerStatement,
} from "./earning-statements.ts";
import { groupsOf } from "./groups.ts";
import { newImpressionsStatement, quarantineStatement } from "./impression-statements.ts";
import { billedOperationsStatement } from "./operations.ts";
import { reachedStatement } from "./reached-users.ts";
import { sumUp } from "./rollup-deltas.ts";
import {
  advertisersStatement,
  affinitiesStatement,
  campaignRollupsStatement,
  campaignsStatement,
  campaignVersionsStatement,
  countriesStatement,
  creativesStatement,
} from "./statements.ts";

/** Impressions (each id once) with the statements that write them if all are new. */
export interface PreparedBatch {
  impressions: readonly BilledImpression[];
  insert: Prisma.Sql;
  deltaStatements: DeltaStatements;
}

/** The statements that apply the deltas of new impressions. */
export type DeltaStatements = Awaited<ReturnType<typeof deltaStatementsOf>>;

/** Yields to the event loop while Postgres is busy; does nothing otherwise. */
type Turn = () => Promise<void>;

const AT_ONCE: Turn = async () => {};

/**
 * Sums up impressions. `isAhead`: yields to the event loop between steps, because another batch is being written.
 * Rejects with RangeError when there are more than MAX_CODED_ROWS.
 */
export async function prepareBatch(
  given: readonly BilledImpression[],
  isAhead = false,
): Promise<PreparedBatch> {
  const turn: Turn = isAhead ? nextTurn : AT_ONCE;
  const impressions = [...given].sort(byKey);
  await turn();
  const insert = newImpressionsStatement(impressions);
  await turn();
  return { impressions, insert, deltaStatements: await deltaStatementsOf(impressions, turn) };
}

function byKey(a: BilledImpression, b: BilledImpression): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.record.impression_id < b.record.impression_id ? -1 : 1;
}

export async function deltaStatementsOf(impressions: readonly BilledImpression[], turn = AT_ONCE) {
  const groups = groupsOf(impressions);
  await turn();
  const deltas = sumUp(impressions, groups);
  await turn();
  const reached = reachedStatement(impressions, groups);
  await turn();
  const countries = countriesStatement(deltas);
  const campaignGames = campaignGamesStatement(deltas);
  const gameAdvertisers = gameAdvertisersStatement(deltas);
  await turn();
  const ledger = ledgerStatement(deltas);
  await turn();
  return {
    impressions,
    groups,
    deltas,
    advertisers: advertisersStatement(deltas),
    quarantine: quarantineStatement(impressions),
    billedOperations: billedOperationsStatement(impressions),
    reached,
    campaignVersions: campaignVersionsStatement(deltas),
    campaignGames,
    gameAdvertisers,
    campaigns: campaignsStatement(deltas),
    creatives: creativesStatement(deltas),
    affinities: affinitiesStatement(deltas),
    campaignRollups: campaignRollupsStatement(deltas),
    countries,
    ledger,
    gameTotals: gameTotalsStatement(deltas),
    gameRollups: gameRollupsStatement(deltas),
  };
}
