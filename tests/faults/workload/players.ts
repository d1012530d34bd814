import { setTimeout as sleep } from "node:timers/promises";
import { bodyOf, type History, type ImpressionOperation, isRefusedKey, type MatchCall } from "../history.ts";
import type { Random } from "../random.ts";
import type { Client } from "./client.ts";
import { CATEGORIES } from "./market.ts";
import type { Game, Market } from "./traders.ts";

export interface PlayersOptions {
  market: Market;
  history: History;
  random: Random;
  players: number;
  /** Pause of one player between two requests. Milliseconds. */
  pauseMs: number;
  holdTtlMs: number;
  signal: AbortSignal;
}

type Match = NonNullable<MatchCall["match"]>;

const MAX_ATTEMPTS = 4;
const RETURNING_PLAYERS = 12;
const LATE_AT_A_TIME = 200;
/** How many impressions with a key and without a match id a player retries after Redis lost data. */
const KEYED_REMEMBERED = 10;

/** Players who visit games, get matches, see most ads, and stop only at `signal`. */
export async function runPlayers(options: PlayersOptions): Promise<void> {
  const late = new Set<Promise<void>>();
  const player = async (number: number) => {
    const random = options.random.fork(`player ${number}`);
    const keyed: ImpressionOperation[] = [];
    let losses = 0;
    for (let visit = 0; !options.signal.aborted; visit += 1) {
      keyed.push(...(await playOnce(options, random, number, visit, late)));
      keyed.splice(0, keyed.length - KEYED_REMEMBERED);
      if (options.history.lossesMs.length === losses) continue;
      losses = options.history.lossesMs.length;
      for (const operation of keyed) await attemptUntilAnswered(options, random, operation);
    }
  };
  await Promise.all(Array.from({ length: options.players }, (_, number) => player(number)));
  await Promise.all(late);
}

/**
 * One visit: more requests than the session may have ads, two concurrently. Resolves to the answered impressions that
 * are identified only by their keys.
 */
async function playOnce(
  options: PlayersOptions,
  random: Random,
  number: number,
  visit: number,
  late: Set<Promise<void>>,
): Promise<ImpressionOperation[]> {
  const { market, signal } = options;
  const keyed: ImpressionOperation[] = [];
  const game = random.pick(market.games);
  const named = random.chance(0.7);
  const who = {
    game,
    category: random.pick(CATEGORIES),
    userId: named ? `player-${number}-${visit}` : `returning-${random.integer(1, RETURNING_PLAYERS)}`,
    sessionId: named ? `visit-${visit}` : null,
  };
  const rounds = Math.min(5, Math.ceil((game.maxAdsPerSession + 3) / 2));
  for (let round = 0; round < rounds && !signal.aborted; round += 1) {
    const { history } = options;
    const ask = () => askForMatch(market.developer, history, who);
    const matches = await Promise.all([ask(), ask()]);
    for (const match of matches) {
      if (match === null || random.chance(0.2)) continue;
      const operation = plan(random, match, game);
      if (random.chance(0.1) && late.size < LATE_AT_A_TIME) {
        const task = seeLate(options, operation).finally(() => late.delete(task));
        late.add(task);
      } else {
        await record(options, random, operation);
        const isKeyed = operation.matchId === null && operation.idempotencyKey !== null;
        if (isKeyed && operation.answers.length > 0) keyed.push(operation);
      }
    }
    await sleep(options.pauseMs * (0.5 + random.next()));
  }
  return keyed;
}

/** One match request of a player in a game. */
export async function askForMatch(
  developer: Client,
  history: History,
  who: { game: Game; category: string; userId: string; sessionId: string | null },
): Promise<Match | null> {
  const { startedMs, endedMs, status, body, keyId } = await developer.call("POST", "/match", {
    game_id: who.game.gameId,
    user_id: who.userId,
    ...(who.sessionId !== null && { session_id: who.sessionId }),
    game_context: { category: who.category },
    player_geo: { country_code: "NZ" },
  });
  const match: Match | null =
    status === 200
      ? {
          matchId: body.match_id,
          campaignId: body.campaign_id,
          creativeId: body.creative_id,
          priceMillicents: body.cpm_bid_cents,
        }
      : null;
  const { userId, sessionId, game } = who;
  history.matches.push({ startedMs, endedMs, gameId: game.gameId, userId, sessionId, status, match, keyId });
  return match;
}

/** With a match id, with an Idempotency-Key, with both, or with neither. */
function plan(random: Random, match: Match, game: Game): ImpressionOperation {
  const draw = random.next();
  return {
    campaignId: match.campaignId,
    creativeId: match.creativeId,
    gameId: game.gameId,
    matchId: draw < 0.7 ? match.matchId : null,
    idempotencyKey: draw >= 0.55 && draw < 0.85 ? `scene ${match.matchId}` : null,
    attempts: [],
    answers: [],
  };
}

/** Records an impression, and retries it if it is identifiable; sometimes also after an answer. */
async function record(
  options: PlayersOptions,
  random: Random,
  operation: ImpressionOperation,
): Promise<void> {
  options.history.impressions.push(operation);
  await attemptUntilAnswered(options, random, operation);
  if (isRepeatable(operation) && random.chance(0.1)) {
    await attemptImpression(options.market.developer, operation);
  }
}

function isRepeatable({ matchId, idempotencyKey }: ImpressionOperation): boolean {
  return matchId !== null || idempotencyKey !== null;
}

async function attemptUntilAnswered(
  options: PlayersOptions,
  random: Random,
  operation: ImpressionOperation,
): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const status = await attemptImpression(options.market.developer, operation);
    const isFinal = status !== null && status < 500 && !isRefusedKey({ status });
    if (!isRepeatable(operation) || isFinal || options.signal.aborted) return;
    await sleep(100 * 2 ** attempt * (0.5 + random.next()));
  }
}

/** Sends an impression once more and records the outcome. */
export async function attemptImpression(
  developer: Client,
  operation: ImpressionOperation,
): Promise<number | null> {
  const { startedMs, endedMs, status, body, keyId } = await developer.call(
    "POST",
    "/impressions",
    bodyOf(operation),
    operation.idempotencyKey === null ? {} : { "Idempotency-Key": operation.idempotencyKey },
  );
  operation.attempts.push({ startedMs, endedMs, status, keyId });
  if (status === 201) {
    const chargedMillicents = Math.round(body.charged_cents * 1_000);
    operation.answers.push({ impressionId: body.impression_id, chargedMillicents });
  }
  return status;
}

/** An ad that is seen after its hold lapsed. */
async function seeLate(options: PlayersOptions, operation: ImpressionOperation): Promise<void> {
  await sleep(options.holdTtlMs + 500, undefined, { signal: options.signal }).catch(() => undefined);
  if (!options.signal.aborted) await record(options, options.random, operation);
}
