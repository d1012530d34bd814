import { describe, expect, it } from "@jest/globals";
import { gameIdIn, gamePath } from "./game-path.ts";

describe("gameIdIn", () => {
  it.each(["keep", "a game", "c/d", "c%2Fd", "c%252Fd", "100%", "spiel-ä", "a?b#c", ".", "..", "...", "..;"])(
    "finds %p in its path as a browser has it",
    (gameId) => {
      for (const tab of ["", "/settings"]) {
        const { pathname } = new URL(`${gamePath(gameId)}${tab}`, "http://localhost");
        expect(gameIdIn(pathname)).toBe(gameId);
      }
    },
  );

  it.each([
    ["/games", ""],
    ["/games/", ""],
    ["/games/100%", "100%"],
  ])("reads %p as %p", (pathname, gameId) => {
    expect(gameIdIn(pathname)).toBe(gameId);
  });
});
