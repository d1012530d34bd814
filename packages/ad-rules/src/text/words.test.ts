import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { hasWord, occurs, phrase, searchable, searchableAny } from "./words.ts";

const found = (text: string, sought: string) => occurs(phrase(sought), searchable(text));

describe("whole words", () => {
  it.each([
    ["The storm is near", "storm"],
    ["STORM!", "storm"],
    ["a dark-forest path", "dark forest"],
    ["dark_forest", "forest"],
    ["a dark … forest", "dark forest"],
    ["energy drink", "Energy   Drink "],
    ["don't panic", "don’t"],
    ["the ﬁre burns", "fire"],
    ["Ｆｕｌｌ width", "full"],
    ["cafe\u0301 noir", "café"],
    ["level 42 boss", "42"],
    ["I ❤️ love it", "I love"],
    ["ΟΔΟΣ ονειρων", "οδος"],
    ["दिल की बात", "दिल"],
    ["밤의 거리", "거리"],
    ["g\u200bun", "gun"],
    ["a g\u00adun", "gun"],
    ["gun\ufe0f", "gun"],
    ["a gun", "g\u2060un\u200f"],
    ["ผมชอบกา\u200bแฟมาก", "กาแฟ"],
    ["the 👩\u200d🚀 lands", "the lands"],
    ["𠮷野家", "𠮷野"],
  ])("%j has %j", (text, sought) => {
    expect(found(text, sought)).toBe(true);
  });

  it.each([
    ["The brainstorm is near", "storm"],
    ["be\u00adgun", "gun"],
    ["storms", "storm"],
    ["storm2", "storm"],
    ["a forest, dark", "dark forest"],
    ["café noir", "cafe"],
    ["x\u0301y", "x"],
    ["दिल्ली", "दिल"],
    ["밤거리", "거리"],
    ["", "storm"],
    ["?!", "storm"],
  ])("%j has no %j", (text, sought) => {
    expect(found(text, sought)).toBe(false);
  });
});

describe("scripts that do not separate words", () => {
  it.each([
    ["今日は雨が降る", "雨"],
    ["東京タワーの上", "タワー"],
    ["ﾀﾜｰの上", "タワー"],
    ["我喜欢喝咖啡", "咖啡"],
    ["ผมชอบกาแฟมาก", "กาแฟ"],
    ["私はiPhoneが好き", "iphone"],
    ["新しい iPhone 手机", "iphone手机"],
    ["新しいiPhone手机", "iphone 手机"],
    ["人々の街", "人々"],
  ])("%j has %j as a substring", (text, sought) => {
    expect(found(text, sought)).toBe(true);
  });

  it.each([
    ["今日は雨。夜が来る", "雨夜"],
    ["私はiPhonesが好き", "iphone"],
    ["かき", "がき"],
  ])("%j has no %j", (text, sought) => {
    expect(found(text, sought)).toBe(false);
  });
});

describe("phrases", () => {
  it("without a letter or digit are none, and occur nowhere", () => {
    for (const text of ["", " ", "\u200b", "…", "❤️", "\u0301", "_-_"]) {
      expect(phrase(text)).toBeNull();
      expect(occurs(phrase(text), searchable(`a ${text} b`))).toBe(false);
    }
  });

  it("are there for every text that has a word", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(hasWord(text)).toBe(phrase(text) !== null);
      }),
    );
    for (const text of ["a", "…7", "雨", "\u0301x", "❤️", "_-_", "²", "ª"]) {
      expect(hasWord(text)).toBe(phrase(text) !== null);
    }
  });

  it("are not found across two texts", () => {
    const both = searchableAny([searchable("dark"), searchable("forest")]);
    expect(occurs(phrase("forest"), both)).toBe(true);
    expect(occurs(phrase("dark forest"), both)).toBe(false);
  });

  const word = fc.stringMatching(/^[a-zàéüßжи0-9]{1,4}$/);
  const gap = fc.constantFrom(" ", "  ", ", ", "-", "_", " … ", "\n", "'");

  it("occur exactly where their words follow each other", () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 8 }),
        fc.array(word, { minLength: 1, maxLength: 2 }),
        gap,
        gap,
        (text, sought, one, other) => {
          const expected = text.some((_, start) =>
            sought.every((entry, offset) => text[start + offset] === entry),
          );
          expect(found(text.join(one), sought.join(other))).toBe(expected);
        },
      ),
    );
  });

  it("occur in every text that has them between gaps, in any script and case", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        (before, sought, after) => {
          fc.pre(phrase(sought) !== null);
          expect(found(`${before} | ${sought} | ${after}`, sought)).toBe(true);
        },
      ),
    );
  });
});
