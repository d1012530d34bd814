import type { NoMatchScene } from "@diegetic/hot-state";
import { describe, expect, it } from "@jest/globals";
import { readNewestScenes } from "./newest-scenes.ts";

const GAMES = Array.from({ length: 100 }, (_, index) => `game${index}`);
const SCENES_PER_GAME = 50;

/** Stands for Redis, whose lists have scenes of these times, newest first. */
function trafficOf(timesOf: (game: number) => number[]) {
  let read = 0;
  const scenesOf = (gameId: string): NoMatchScene[] =>
    timesOf(GAMES.indexOf(gameId)).map((atMs) => ({
      atMs,
      reason: "budget",
      countryCode: null,
      context: {},
    }));
  return {
    readCount: () => read,
    all: () => GAMES.flatMap((gameId) => scenesOf(gameId).map((scene) => ({ gameId, scene }))),
    scenes: async (gameId: string, limit = SCENES_PER_GAME) => {
      const scenes = scenesOf(gameId).slice(0, limit);
      read += scenes.length;
      return scenes;
    },
  };
}

const times = (timeOf: (scene: number) => number) =>
  Array.from({ length: SCENES_PER_GAME }, (_, n) => timeOf(n));

describe("the newest scenes of an account", () => {
  it.each<[string, (game: number) => number[]]>([
    ["of all games alike", (game) => times((n) => 1_000_000 - n * 100 - game)],
    ["of one game after another", (game) => times((n) => 1_000_000 - game * 100 - n)],
    ["of half of the games", (game) => (game % 2 === 0 ? [] : times((n) => 1_000_000 - n * 100 - game))],
    ["fewer than requested", (game) => (game > 2 ? [] : [900 - game, 700 - game, 500 - game])],
  ])("%s are complete, without reading many others", async (_whose, timesOf) => {
    for (const limit of [1, 50, 100]) {
      const traffic = trafficOf(timesOf);
      const expected = traffic
        .all()
        .sort((a, b) => b.scene.atMs - a.scene.atMs)
        .slice(0, limit);
      expect(await readNewestScenes(traffic, GAMES, limit)).toEqual(expected);
      expect(traffic.readCount()).toBeLessThanOrEqual(2 * GAMES.length + 10 * limit);
    }
  });
});
