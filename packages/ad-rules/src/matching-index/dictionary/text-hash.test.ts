import { describe, expect, it } from "@jest/globals";
import { hashKeyOf, hashOf } from "./text-hash.ts";

const seeds = Array.from({ length: 40 }, (_, index) => index * 0x0123_4567);

/** All texts of `count` parts, each one of two. */
function combinations(one: string, other: string, count: number): string[] {
  let texts = [""];
  for (let part = 0; part < count; part += 1) texts = texts.flatMap((text) => [text + one, text + other]);
  return texts;
}

/** Equal under any polynomial modulo a power of two with an odd base, if swapped. */
function thueMorse(one: string, other: string): string {
  let [text, swapped] = [one, other];
  while (text.length < 1_024) [text, swapped] = [text + swapped, swapped + text];
  return text;
}

describe.each<[string, string[]]>([
  ["blocks that collided under the multiplier of FNV", combinations("vcyixpnz", "evjpzxrv", 10)],
  ["Thue–Morse texts", [thueMorse("a", "b"), thueMorse("b", "a")]],
  ["blocks that differ in the highest bit of two units", combinations("\u0041\u0041", "\u8041\u8041", 10)],
  ["blocks in another order", combinations("ab", "ba", 10)],
  ["zeros", Array.from({ length: 200 }, (_, length) => "\0".repeat(length))],
])("%s", (_what, texts) => {
  it("have different hashes under any seed", () => {
    for (const seed of seeds) {
      const key = hashKeyOf(seed);
      expect(new Set(texts.map((text) => hashOf(text, key))).size).toBe(texts.length);
    }
  });
});

it("hashes a text otherwise under another seed", () => {
  expect(new Set(seeds.map((seed) => hashOf("tavern", hashKeyOf(seed)))).size).toBe(seeds.length);
});
