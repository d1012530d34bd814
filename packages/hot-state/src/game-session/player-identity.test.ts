import { createHmac } from "node:crypto";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
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

it("hashes by HMAC-SHA-256, whatever the key and the text", () => {
  const long = fc.string({ unit: "grapheme", minLength: 600, maxLength: 3_000 });
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "binary" }), long),
      fc.oneof(fc.string({ unit: "binary" }), long),
      (key, user) => {
        const hmac = (text: string) =>
          createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
        const player = identifyPlayer(key, user, "s");
        expect(player).toEqual({ userHash: hmac(user), sessionKey: hmac(`${user}\0s`) });
      },
    ),
  );
});
