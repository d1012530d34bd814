import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  decodeName,
  dueKeys,
  encodeName,
  gameKeys,
  idempotencyKeys,
  installationKeys,
  isPlainName,
  keyPatterns,
  keyUseKeys,
  rateLimitKeys,
  snapshotKeys,
  walletKeys,
} from "./keys.ts";

/** The part of a key that decides the node of a cluster, by the rule of Redis Cluster. */
function hashTag(key: string): string {
  const open = key.indexOf("{");
  const close = key.indexOf("}", open + 1);
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
}

describe("keys as text", () => {
  it("puts everything of an advertiser under one hash tag", () => {
    const keys = [
      walletKeys.account("adv_1"),
      walletKeys.campaign("adv_1", "camp_2"),
      walletKeys.holds("adv_1"),
      walletKeys.pending("adv_1", "camp_2", "game"),
      walletKeys.matches("adv_1", "camp_2", "game"),
      walletKeys.history("adv_1", "camp_2", "game"),
      walletKeys.cap("adv_1", "game", "session"),
      walletKeys.shares("adv_1", "camp_2"),
      walletKeys.hourlyCounts("adv_1", "camp_2", 490_000),
      walletKeys.outbox("adv_1"),
      walletKeys.sessionRelease("adv_1"),
    ];
    expect(keys).toEqual([
      "{adv_1}:account",
      "{adv_1}:campaign:camp_2",
      "{adv_1}:holds",
      "{adv_1}:pending:camp_2:game",
      "{adv_1}:matches:camp_2:game",
      "{adv_1}:history:camp_2:game",
      "{adv_1}:cap:game:session",
      "{adv_1}:shares:camp_2",
      "{adv_1}:matched:camp_2:490000",
      "{adv_1}:outbox",
      "{adv_1}:giveback",
    ]);
    expect(new Set(keys.map(hashTag))).toEqual(new Set(["adv_1"]));
  });

  it("spreads sessions by game", () => {
    expect(gameKeys.session("my game", "session")).toBe("{game:my%20game}:session:session");
  });

  it("keeps the shared keys apart", () => {
    expect(Object.values(snapshotKeys).map(hashTag)).toEqual(
      Object.values(snapshotKeys).map(() => "snapshot"),
    );
    expect(dueKeys).toMatchObject({ holds: "{due}:holds", outbox: "{due}:outbox" });
    expect(rateLimitKeys.bucket("match:key_1")).toBe("{rate:match:key_1}");
    expect(keyUseKeys.last).toBe("{key-use}:last");
    expect(installationKeys.owner).toBe("{snapshot}:installation");
    expect(idempotencyKeys.claim("acct_1:abc")).toBe("{idempotency:acct_1:abc}");
  });
});

describe("game ids in keys", () => {
  it.each([
    ["{other}", "%7Bother%7D"],
    ["a:b", "a%3Ab"],
    ["a|b", "a%7Cb"],
    ["100%", "100%25"],
    ["%uD800", "%25uD800"],
    ["🎮", "%F0%9F%8E%AE"],
    ["\ud800", "%uD800"],
    ["x\udc00\ud800y", "x%uDC00%uD800y"],
    ["🎮\ud83c", "%F0%9F%8E%AE%uD83C"],
  ])("encodes %j", (gameId, encoded) => {
    expect(encodeName(gameId)).toBe(encoded);
    expect(decodeName(encoded)).toBe(gameId);
    expect(hashTag(walletKeys.pending("adv_1", "camp_2", gameId))).toBe("adv_1");
    expect(gameKeys.session(gameId, "s")).toBe(`{game:${encoded}}:session:s`);
  });

  it("gives every text an encoding of its own, without separators", () => {
    const anyText = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)),
    });
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: "binary" })), (text) => {
        expect(encodeName(text)).toMatch(/^[A-Za-z0-9\-_.!~*'()%]*$/);
        expect(decodeName(encodeName(text))).toBe(text);
      }),
    );
  });
});

describe("patterns of keys", () => {
  const game = "a game {1}:|\ud800";
  const encoded = encodeName(game);
  it.each([
    ["account", walletKeys.account("adv_1"), ["adv_1"]],
    ["matches", walletKeys.matches("adv_1", "camp_1", game), ["adv_1", "camp_1", encoded]],
    ["cap", walletKeys.cap("adv_1", game, "s-1_"), ["adv_1", encoded, "s-1_"]],
    ["outbox", walletKeys.outbox("adv_1"), ["adv_1"]],
    ["sessionRelease", walletKeys.sessionRelease("adv_1"), ["adv_1"]],
    ["session", gameKeys.session(game, "s-1_"), [encoded, "s-1_"]],
  ] as const)("recognise one kind each: %s", (kind, key, parts) => {
    expect(keyPatterns[kind].exec(key)?.slice(1)).toEqual(parts);
    expect(Object.values(keyPatterns).filter((pattern) => pattern.test(key))).toHaveLength(1);
  });
});

describe("plain names", () => {
  it.each(["camp_01jd8x", "a", "A-Z_9", "x".repeat(64)])("takes %j", (name) => {
    expect(isPlainName(name)).toBe(true);
  });

  it.each(["", "a:b", "a|b", "{a}", "a b", "ä", "a\n", "x".repeat(65)])("refuses %j", (name) => {
    expect(isPlainName(name)).toBe(false);
  });
});
