import { chunks } from "@diegetic/collections";
import {
  ACCOUNT_SCENES,
  choiceParameter,
  integerParameter,
  type NoMatchSceneListBody,
  SCENE_WORD_TYPES,
  TRAFFIC_POINTS,
  TRAFFIC_UNITS,
  trafficApi,
} from "@diegetic/contracts";
import type { RequestContext } from "@diegetic/service-kit";
import { readWindow, type Window, windowAnswer } from "../../core/shared/paging.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { ownPlacement } from "../placements/store.ts";
import { readGamePage, readOwnGames } from "./store.ts";
import {
  type GameWithCalls,
  type TrafficPage,
  toPointResponse,
  toSceneResponse,
  toTrafficResponse,
} from "./to-response.ts";

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

async function gameWords({ database, words }: Parts, context: RequestContext) {
  const { accountId } = context;
  const { gameId } = await ownPlacement(database, accountId, context.param("gameId"));
  return { status: 200, body: { game_id: gameId, ...(await words.ofGame(accountId, gameId)) } };
}

async function marketWords({ words }: Parts, context: RequestContext) {
  const type = choiceParameter("type", context.query, SCENE_WORD_TYPES);
  return { status: 200, body: await words.ofMarket(context.accountId, type) };
}
