import { demoApi, noDemo } from "@diegetic/contracts";
import { utcDay } from "@diegetic/database";
import { microcentsToNumber } from "@diegetic/money";
import { sha256Hex } from "../../core/shared/sha256.ts";
import { endpointsOf } from "../endpoints-of.ts";
import { readConsistently } from "../ledger/read-consistently.ts";
import type { Parts } from "../parts.ts";
import { readGameEarnings } from "../revenue/store.ts";
import { PLAY_GAME } from "./market.ts";

/** The demo game, for the page that runs it. */
export const demoEndpoints = endpointsOf(demoApi.operations, { show });

async function show({ database, reader, reads, wallets, clock, demoGameKey }: Parts) {
  const key =
    demoGameKey === ""
      ? null
      : await database.apiKey.findUnique({ where: { sha256: sha256Hex(demoGameKey) } });
  if (key === null || key.revokedAt !== null) throw noDemo.error();
  // Waits for the cost of a recent impression; its earnings are written in the same transaction.
  const { totals } = await readConsistently({ reads, wallets }, key.accountId, utcDay(clock()));
  const games = await readGameEarnings(reader, key.accountId);
  const game = games.find(({ gameId }) => gameId === PLAY_GAME.gameId);
  return {
    status: 200,
    body: {
      game_id: PLAY_GAME.gameId,
      api_key: demoGameKey,
      balance_millicents: totals.balanceMillicents,
      held_millicents: totals.heldMillicents,
      spent_millicents: totals.spentMillicents,
      impressions: totals.impressions,
      earned_microcents: microcentsToNumber(game?.earnedMicrocents ?? 0n),
    },
  };
}
