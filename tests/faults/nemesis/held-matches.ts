import { eventually } from "@diegetic/testing/eventually";
import { type ImpressionOperation, isRefusedKey, isUnknown } from "../history.ts";
import type { Client } from "../workload/client.ts";
import { CATEGORIES } from "../workload/market.ts";
import { askForMatch, attemptImpression } from "../workload/players.ts";
import { ALL_POSSIBLE_WITHIN_MS, type FaultContext } from "./fault.ts";

/** Creates at least this many open matches, as impressions that were not sent yet. */
export async function holdMatches(
  { market, history, random }: FaultContext,
  developer: Client,
  count: number,
): Promise<ImpressionOperation[]> {
  const held: ImpressionOperation[] = [];
  const visit = random.integer(0, 1_000_000_000);
  const ask = async (number: number) => {
    const game = random.pick(market.games);
    const userId = `held-${visit}-${number}`;
    const category = random.pick(CATEGORIES);
    const match = await askForMatch(developer, history, { game, category, userId, sessionId: null });
    if (match === null) return;
    const { campaignId, creativeId, matchId } = match;
    const sent = { idempotencyKey: null, attempts: [], answers: [] };
    held.push({ campaignId, creativeId, gameId: game.gameId, matchId, ...sent });
  };
  let requested = 0;
  const isEnough = async () => {
    const numbers = Array.from({ length: count - held.length }, (_, index) => requested + index);
    requested += numbers.length;
    await Promise.all(numbers.map(ask));
    return held.length >= count;
  };
  await eventually(isEnough, { timeoutMs: ALL_POSSIBLE_WITHIN_MS, everyMs: 50 });
  history.impressions.push(...held);
  return held;
}

/** Sends an impression until its outcome is known. */
export function recordUntilKnown(developer: Client, operation: ImpressionOperation): Promise<number> {
  return eventually(
    async () => {
      const status = await attemptImpression(developer, operation);
      return status === null || isUnknown({ status }) || isRefusedKey({ status }) ? undefined : status;
    },
    { timeoutMs: ALL_POSSIBLE_WITHIN_MS, everyMs: 200 },
  );
}
