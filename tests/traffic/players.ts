import { setTimeout as sleep } from "node:timers/promises";
import type { DiegeticClient } from "@diegetic/client";
import type { TrafficOptions } from "./options.ts";
import type { Statistics } from "./statistics.ts";
import type { Game } from "./world.ts";

const COUNTRIES = ["DE", "DE", "US", "US", "US", "FR", "BR", "JP"];
const MEAN_THINK_MS = 2_500;
const MEAN_READING_MS = 1_200;
const MAX_WAIT_MS = 10_000;
/** The rest is skipped or scrolled past: those ads are never seen. */
const SEEN_RATE = 0.8;
const RETURNING_RATE = 0.3;
const SCENES_PER_SESSION = { minimum: 4, maximum: 16 };

export interface PlayContext {
  client: DiegeticClient;
  games: Game[];
  statistics: Statistics;
  options: TrafficOptions;
  /** Aborted at the end of the run. */
  end: AbortSignal;
}

/** Runs all players until the end. */
export async function playAll(context: PlayContext): Promise<void> {
  const pace = pacedBy(context.options.rate);
  const players = Array.from({ length: context.options.players }, (_, seat) => play(context, seat, pace));
  await Promise.all(players);
}

/** One seat: a player plays sessions, then somebody else takes the seat or the same player returns. */
async function play(context: PlayContext, seat: number, pace: (end: AbortSignal) => Promise<void>) {
  const { statistics, end } = context;
  await pause(Math.random() * MEAN_THINK_MS, end);
  for (let visit = 0; !end.aborted; visit += Math.random() < RETURNING_RATE ? 0 : 1) {
    statistics.playersOnline += 1;
    await playSession(context, `player-${seat}-${visit}`, pace);
    statistics.playersOnline -= 1;
    await pause(exponential(MEAN_THINK_MS), end);
  }
}

async function playSession(
  { client, games, statistics, end }: PlayContext,
  userId: string,
  pace: (end: AbortSignal) => Promise<void>,
): Promise<void> {
  const game = oneOf(games);
  const country = oneOf(COUNTRIES);
  const sessionId = `${userId}-${Date.now()}`;
  const { minimum, maximum } = SCENES_PER_SESSION;
  const scenes = minimum + Math.floor(Math.random() * (maximum - minimum + 1));
  for (let count = 0; count < scenes && !end.aborted; count += 1) {
    await pause(exponential(MEAN_THINK_MS), end);
    await pace(end);
    if (end.aborted) return;
    const { location, narrative, moods, actions } = oneOf(game.scenes);
    const startedMs = performance.now();
    const match = await client.match({
      game_id: game.id,
      user_id: userId,
      session_id: sessionId,
      player_geo: { country_code: country },
      game_context: {
        theme_id: game.themeId,
        category: game.category,
        narrative,
        location,
        mood_tags: [oneOf(moods)],
        actions: [oneOf(actions)],
      },
    });
    statistics.addLatency(performance.now() - startedMs);
    statistics.scenes += 1;
    if (match === null) continue;
    statistics.matches += 1;
    await pause(exponential(MEAN_READING_MS), end);
    if (Math.random() < SEEN_RATE) client.recordImpression(match);
  }
}

/** Spaces the matches of all players evenly. */
function pacedBy(rate: number): (end: AbortSignal) => Promise<void> {
  let nextMs = 0;
  return async (end) => {
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, nextMs);
    nextMs = atMs + 1_000 / rate;
    await pause(atMs - nowMs, end);
  };
}

/** Ends early at the end of the run. */
async function pause(ms: number, end: AbortSignal): Promise<void> {
  if (ms <= 0 || end.aborted) return;
  await sleep(ms, undefined, { signal: end }).catch(() => undefined);
}

function exponential(meanMs: number): number {
  return Math.min(MAX_WAIT_MS, -Math.log(1 - Math.random()) * meanMs);
}

function oneOf<T>(values: T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T;
}
