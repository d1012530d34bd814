import { chunks } from "@diegetic/collections";
import {
  ACCOUNT_SCENES,
  choiceParameter,
  integerParameter,
  type NoMatchSceneListBody,
  SCENE_WORD_TYPES,
  TRAFFIC_POINTS,
  TRAFFIC_UNITS,
  type TrafficSeriesBody,
  trafficApi,
} from "@diegetic/contracts";
import type { NoMatchScene, TrafficPoint } from "@diegetic/hot-state";
import type { RequestContext } from "@diegetic/service-kit";
import { readWindow, type Window, windowAnswer } from "../../core/shared/paging.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { ownPlacement } from "../placements/store.ts";
import { readGamePage, readOwnGames } from "./store.ts";
import { type GameWithCalls, requestsOf, type TrafficPage, toTrafficResponse } from "./to-response.ts";

/** A page takes three Redis reads per game, so repeated requests of an account share them. */
export const TRAFFIC_PAGES_KEPT = { keptMs: 2_000, maxKeys: 500 };
/** Games whose calls are read concurrently. */
const GAMES_PER_READ = 50;
/** Maximum games whose scenes are read for an account. */
const MAX_GAMES = 100;
/** Games whose scenes are read concurrently: a scene has up to 6 000 characters. */
const GAMES_PER_BATCH = 5;

export const trafficEndpoints = endpointsOf(trafficApi.operations, {
  list,
  series,
  gameScenes,
  accountScenes,
  gameWords,
  marketWords,
});

async function list(parts: Parts, context: RequestContext) {
  const { accountId } = context;
  const window = readWindow(context);
  const page = `${accountId} ${window.limit} ${window.offset}`;
  const read = await parts.trafficPages.get(page, () => readPage(parts, accountId, window));
  return windowAnswer(context, window, read);
}

async function readPage(
  { reader, traffic, clock }: Parts,
  accountId: string,
  window: Window,
): Promise<TrafficPage> {
  const nowMs = clock();
  const [{ rows, hasMore }, account] = await Promise.all([
    readGamePage(reader, accountId, window),
    traffic.account(accountId, nowMs),
  ]);
  const games: GameWithCalls[] = [];
  for (const batch of chunks(rows, GAMES_PER_READ)) {
    const read = batch.map(async (row) => ({ ...row, calls: await traffic.game(row.gameId, nowMs) }));
    games.push(...(await Promise.all(read)));
  }
  return { body: toTrafficResponse(account, games), hasMore };
}

async function series({ database, traffic, clock }: Parts, context: RequestContext) {
  const { gameId } = await ownPlacement(database, context.accountId, context.param("gameId"));
  const unit = choiceParameter("unit", context.query, TRAFFIC_UNITS) ?? "hour";
  const limits = TRAFFIC_POINTS[unit];
  const count = integerParameter("count", context.query, limits) ?? limits.default;
  const points =
    unit === "hour"
      ? await traffic.hours(gameId, count, clock())
      : await traffic.days(gameId, count, clock());
  return { status: 200, body: { game_id: gameId, unit, points: points.map(toPointResponse) } };
}

function toPointResponse(point: TrafficPoint): TrafficSeriesBody["points"][number] {
  return {
    start: new Date(point.startMs).toISOString(),
    requests: requestsOf(point),
    matches: point.matches,
    impressions: point.impressions,
    no_match: Object.fromEntries(point.noMatch),
    errors: Object.fromEntries(point.refusals),
  };
}

async function gameScenes({ database, traffic }: Parts, context: RequestContext) {
  const { gameId } = await ownPlacement(database, context.accountId, context.param("gameId"));
  const scenes = await traffic.scenes(gameId);
  return { status: 200, body: scenes.map((scene) => toSceneResponse(gameId, scene)) };
}

async function accountScenes({ reader, traffic }: Parts, context: RequestContext) {
  const limit = integerParameter("limit", context.query, ACCOUNT_SCENES) ?? ACCOUNT_SCENES.default;
  const games = await readOwnGames(reader, context.accountId, MAX_GAMES);
  let newest: NoMatchSceneListBody = [];
  for (const batch of chunks(games, GAMES_PER_BATCH)) {
    const scenes = await Promise.all(
      batch.map(async (gameId) =>
        (await traffic.scenes(gameId, limit)).map((scene) => toSceneResponse(gameId, scene)),
      ),
    );
    newest = [...newest, ...scenes.flat()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit);
  }
  return { status: 200, body: newest };
}

function toSceneResponse(gameId: string, scene: NoMatchScene): NoMatchSceneListBody[number] {
  const { theme_id, category, narrative, mood_tags, location, actions } = scene.context;
  return {
    game_id: gameId,
    at: new Date(scene.atMs).toISOString(),
    reason: scene.reason,
    country_code: scene.countryCode,
    game_context: {
      ...(theme_id !== undefined && { theme_id }),
      ...(category !== undefined && { category }),
      ...(narrative !== undefined && { narrative }),
      ...(mood_tags !== undefined && { mood_tags: [...mood_tags] }),
      ...(location !== undefined && { location }),
      ...(actions !== undefined && { actions: [...actions] }),
    },
  };
}

async function gameWords({ database, words }: Parts, context: RequestContext) {
  const { accountId } = context;
  const { gameId } = await ownPlacement(database, accountId, context.param("gameId"));
  return { status: 200, body: { game_id: gameId, ...(await words.ofGame(accountId, gameId)) } };
}

async function marketWords({ words }: Parts, context: RequestContext) {
  const type = choiceParameter("type", context.query, SCENE_WORD_TYPES);
  return { status: 200, body: await words.ofMarket(context.accountId, type) };
}
