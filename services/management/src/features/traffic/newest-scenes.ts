import { chunks } from "@diegetic/collections";
import type { NoMatchScene, TrafficReader } from "@diegetic/hot-state";

/** Games whose scenes are read concurrently: a scene has up to 3 kB. */
const GAMES_PER_BATCH = 5;
/** Scenes read of each game at first. */
const FIRST_COUNT = 2;

interface SceneOfGame {
  gameId: string;
  scene: NoMatchScene;
}

/** The newest scenes of the games. Reads more scenes of a game only while its oldest read one is among them. */
export async function readNewestScenes(
  traffic: Pick<TrafficReader, "scenes">,
  games: readonly string[],
  limit: number,
): Promise<SceneOfGame[]> {
  const scenesOf = new Map<string, NoMatchScene[]>();
  let newest: SceneOfGame[] = [];
  let unfinished = games;
  for (let count = FIRST_COUNT; unfinished.length > 0; count *= 2) {
    for (const batch of chunks(unfinished, GAMES_PER_BATCH)) {
      await Promise.all(
        batch.map(async (gameId) => scenesOf.set(gameId, await traffic.scenes(gameId, count))),
      );
    }
    newest = [...scenesOf]
      .flatMap(([gameId, scenes]) => scenes.map((scene) => ({ gameId, scene })))
      .sort((a, b) => b.scene.atMs - a.scene.atMs)
      .slice(0, limit);
    const oldestMs = (newest.length === limit && newest.at(-1)?.scene.atMs) || Number.NEGATIVE_INFINITY;
    unfinished = unfinished.filter((gameId) => {
      const scenes = scenesOf.get(gameId) ?? [];
      const last = scenes.at(-1);
      return scenes.length === count && last !== undefined && last.atMs >= oldestMs;
    });
  }
  return newest;
}
