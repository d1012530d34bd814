import { createHmac } from "node:crypto";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { identifyPlayer, playerHashKeyCheck } from "./player-identity.ts";

const key = "k".repeat(32);

it("identifies a player and their session by keyed hashes that reveal nothing", () => {
  const one = identifyPlayer(key, "acct_1", "anna", "s1");
  expect(one).toEqual(identifyPlayer(key, "acct_1", "anna", "s1"));
  expect(one.userHash).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(one.sessionKey).toMatch(/^[A-Za-z0-9_-]{22}$/);
  const others = [
    identifyPlayer(key, "acct_1", "anna", undefined),
    identifyPlayer(key, "acct_1", "anna", "s2"),
    identifyPlayer(key, "acct_1", "annas1", undefined),
    identifyPlayer(key, "acct_2", "anna", "s1"),
    identifyPlayer("x".repeat(32), "acct_1", "anna", "s1"),
  ];
  const sessionKeys = [one, ...others].map(({ sessionKey }) => sessionKey);
  expect(new Set(sessionKeys).size).toBe(6);
  expect(others.slice(0, 2).map(({ userHash }) => userHash)).toEqual([one.userHash, one.userHash]);
  expect(new Set([one, ...others].map(({ userHash }) => userHash)).size).toBe(4);
});

it("has a check value that differs between keys, and is stable", () => {
  // Stored: with another value `erase` would refuse every installation's own key.
  expect(playerHashKeyCheck(key)).toBe("9nhEsTQUWvzzWMtgvnvA33");
  expect(playerHashKeyCheck("x".repeat(32))).not.toBe(playerHashKeyCheck(key));
});

it("hashes by HMAC-SHA-256, whatever the key and the text", () => {
  const long = fc.string({ unit: "grapheme", minLength: 600, maxLength: 3_000 });
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "binary" }), long),
      fc.oneof(fc.string({ unit: "binary" }), long),
      (key, user) => {
        const hmac = (text: string) =>
          createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
        const player = identifyPlayer(key, "acct_1", user, "s");
        expect(player).toEqual({ userHash: hmac(`acct_1\0${user}`), sessionKey: hmac(`acct_1\0${user}\0s`) });
      },
    ),
  );
});
