import type { NoMatchSceneListBody, TrafficBody, TrafficSeriesBody } from "@diegetic/contracts";
import type { AccountCalls, GameCalls, NoMatchScene, TrafficCounts, TrafficPoint } from "@diegetic/hot-state";
import { microcentsToNumber } from "@diegetic/money";
import type { GameRow } from "./store.ts";

export interface GameWithCalls extends GameRow {
  calls: GameCalls;
}

type Stage = TrafficBody["games"][number]["stage"];

export function toTrafficResponse(account: AccountCalls, games: readonly GameWithCalls[]): TrafficBody {
  return {
    last_call_at: moment(account.lastCallMs),
    errors: [...account.refusals]
      .map(([name, { count, lastMs }]) => ({ ...kindOfError(name), count, last_at: moment(lastMs) }))
      .sort((a, b) => b.count - a.count || a.status - b.status),
    games: games.map(toGameResponse),
  };
}

function toGameResponse(game: GameWithCalls): TrafficBody["games"][number] {
  const { calls } = game;
  return {
    game_id: game.gameId,
    is_active: game.isActive,
    stage: stageOf(game),
    last_request_at: moment(calls.requestMs),
    last_match_at: moment(calls.matchMs),
    last_impression_at: moment(calls.impressionMs),
    requests: requestsOf(calls.day),
    matches: calls.day.matches,
    impressions: calls.day.impressions,
    errors: sum(calls.day.refusals),
    billed_impressions: game.impressions,
    earned_microcents: microcentsToNumber(game.earnedMicrocents),
  };
}

function stageOf({ calls, impressions }: GameWithCalls): Stage {
  if (impressions > 0) return "billed";
  if (calls.impressionMs !== null) return "shown";
  if (calls.matchMs !== null) return "matched";
  return calls.requestMs === null ? "waiting" : "requested";
}

export function toPointResponse(point: TrafficPoint): TrafficSeriesBody["points"][number] {
  return {
    start: new Date(point.startMs).toISOString(),
    requests: requestsOf(point),
    matches: point.matches,
    impressions: point.impressions,
    no_match: Object.fromEntries(point.noMatch),
    errors: Object.fromEntries(point.refusals),
  };
}

type SceneBody = NoMatchSceneListBody[number];

export function toSceneResponse(gameId: string, scene: NoMatchScene): SceneBody {
  return {
    game_id: gameId,
    at: new Date(scene.atMs).toISOString(),
    reason: scene.reason,
    country_code: scene.countryCode,
    // Stored as JSON: absent fields are missing.
    game_context: scene.context as SceneBody["game_context"],
  };
}

/** Match requests answered with or without an ad. */
function requestsOf({ matches, noMatch }: TrafficCounts): number {
  return matches + sum(noMatch);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/** `match_400` */
function kindOfError(name: string): { operation: "match" | "impressions"; status: number } {
  const [operation = "", status = ""] = name.split("_");
  return { operation: operation === "impressions" ? "impressions" : "match", status: Number(status) };
}

function moment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
