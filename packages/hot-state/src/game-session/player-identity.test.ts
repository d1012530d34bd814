import { expect, it } from "@jest/globals";
import { identifyPlayer } from "./player-identity.ts";

const key = "k".repeat(32);

it("names a player and his session by keyed hashes that tell nothing of them", () => {
  const one = identifyPlayer(key, "anna", "s1");
  expect(one).toEqual(identifyPlayer(key, "anna", "s1"));
  expect(one.userHash).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(one.sessionKey).toMatch(/^[A-Za-z0-9_-]{22}$/);
  const others = [
    identifyPlayer(key, "anna", undefined),
    identifyPlayer(key, "anna", "s2"),
    identifyPlayer(key, "annas1", undefined),
    identifyPlayer("x".repeat(32), "anna", "s1"),
  ];
  const sessionKeys = [one, ...others].map(({ sessionKey }) => sessionKey);
  expect(new Set(sessionKeys).size).toBe(5);
  expect(others.slice(0, 2).map(({ userHash }) => userHash)).toEqual([one.userHash, one.userHash]);
});
