import { demoApi, noDemo } from "@diegetic/contracts";
import { type Database, type Reader, safeInteger, utcDay } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import { type Endpoint, endpoint } from "@diegetic/service-kit";
import type { CallerReads } from "../../core/read-your-writes/caller-reads.ts";
import type { Clock } from "../../core/shared/time.ts";
import { keySha256 } from "../api-keys/key-secret.ts";
import { readConsistently } from "../ledger/consistent-store.ts";
import { readGameEarnings } from "../revenue/store.ts";
import { PLAY_GAME_ID } from "./play.ts";

export interface DemoParts {
  database: Database;
  reader: Reader;
  reads: CallerReads;
  wallets: Pick<MoneyCommands, "readAccount">;
  clock: Clock;
  /** Empty: the installation has no demo. */
  demoGameKey: string;
}

/** The demo game, for the page that runs it. */
export function demoEndpoints(parts: DemoParts): Endpoint[] {
  return [endpoint(demoApi.operations.show, show(parts))];
}

function show({ database, reader, reads, wallets, clock, demoGameKey }: DemoParts): Endpoint["handle"] {
  return async () => {
    const key =
      demoGameKey === ""
        ? null
        : await database.apiKey.findUnique({ where: { sha256: keySha256(demoGameKey) } });
    if (key === null || key.revokedAt !== null) {
      throw noDemo.error();
    }
    // Waits for the cost of a recent impression; its earnings are written in the same transaction.
    const { totals } = await readConsistently({ reads, wallets }, key.accountId, utcDay(clock()));
    const games = await readGameEarnings(reader, key.accountId);
    const game = games.find(({ gameId }) => gameId === PLAY_GAME_ID);
    return {
      status: 200,
      body: {
        game_id: PLAY_GAME_ID,
        api_key: demoGameKey,
        balance_millicents: totals.balanceMillicents,
        held_millicents: totals.heldMillicents,
        spent_millicents: totals.spentMillicents,
        impressions: totals.impressions,
        earned_microcents: safeInteger(game?.earnedMicrocents ?? 0n, "earned"),
      },
    };
  };
}
