import { chunks } from "@diegetic/collections";
import {
  ACCOUNT_SCENES,
  choiceParameter,
  integerParameter,
  SCENE_WORD_TYPES,
  TRAFFIC_POINTS,
  TRAFFIC_UNITS,
  trafficApi,
} from "@diegetic/contracts";
import type { GameCalls } from "@diegetic/hot-state";
import type { RequestContext } from "@diegetic/service-kit";
import { readWindow, windowAnswer } from "../../core/shared/paging.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { ownPlacement } from "../placements/store.ts";
import { readNewestScenes } from "./newest-scenes.ts";
import { readGamePage, readOwnGames } from "./store.ts";
import { type GameWithCalls, toPointResponse, toSceneResponse, toTrafficResponse } from "./to-response.ts";

const KEPT_MS = 2_000;
/** Three Redis reads per game with statistics, shared by all pages. */
export const CALLS_OF_GAMES_KEPT = { keptMs: KEPT_MS, maxKeys: 5_000 };
export const CALLS_OF_ACCOUNTS_KEPT = { keptMs: KEPT_MS, maxKeys: 500 };
const NO_CALLS: GameCalls = {
  requestMs: null,
  matchMs: null,
  impressionMs: null,
  day: { matches: 0, impressions: 0, noMatch: new Map(), refusals: new Map() },
};
/** Games whose calls are read concurrently. */
const GAMES_PER_READ = 50;
/** Maximum games whose scenes are read for an account. */
const MAX_GAMES = 100;

export const trafficEndpoints = endpointsOf(trafficApi.operations, {
  list,
  series,
  gameScenes,
  accountScenes,
  gameWords,
  marketWords,
});

async function list(parts: Parts, context: RequestContext) {
  const { reader, traffic, callsOfAccounts, callsOfGames, clock } = parts;
  const { accountId } = context;
  const window = readWindow(context);
  const nowMs = clock();
  const [{ rows, hasMore }, account] = await Promise.all([
    readGamePage(reader, accountId, window),
    callsOfAccounts.get(accountId, () => traffic.account(accountId, nowMs)),
  ]);
  const callsOf = async (gameId: string) =>
    account.games.has(gameId) ? await callsOfGames.get(gameId, () => traffic.game(gameId, nowMs)) : NO_CALLS;
  const games: GameWithCalls[] = [];
  for (const batch of chunks(rows, GAMES_PER_READ)) {
    const read = batch.map(async (row) => ({ ...row, calls: await callsOf(row.gameId) }));
    games.push(...(await Promise.all(read)));
  }
  return windowAnswer(context, window, { body: toTrafficResponse(account, games), hasMore });
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
  const scenes = await readNewestScenes(traffic, games, limit);
  return { status: 200, body: scenes.map(({ gameId, scene }) => toSceneResponse(gameId, scene)) };
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
