import { SeededRandom } from "./random.ts";

/**
 * What the benchmark's campaigns and games talk about. Words are made of syllables, so that there are as many as one
 * wants; lists run from the most to the least usual, for `SeededRandom.zipf`.
 */
const random = new SeededRandom(7);
const syllables =
  "ba do ka li mo ne ra si tu ve zo chi fen gor hal jun lor mar nok pel rin sol tam ul wen yor".split(" ");

function word(): string {
  return Array.from(
    { length: random.whole(2, 3) },
    () => syllables[random.whole(0, syllables.length - 1)],
  ).join("");
}

function distinct(count: number, make: () => string): string[] {
  const made = new Set<string>();
  while (made.size < count) made.add(make());
  return [...made];
}

const phraseOf = (share: number) => () => (random.chance(share) ? `${word()} ${word()}` : word());

export const storyWords = distinct(6_000, word);
/** The most usual words of stories, about half of what they consist of, are those that nobody targets or blocks. */
const usualWords = 100;
export const categories = distinct(40, word);
export const themes = distinct(300, phraseOf(0.3));
export const moods = distinct(60, word);
export const locations = distinct(800, phraseOf(0.5));
export const actions = distinct(300, phraseOf(0.2));
export const visuals = distinct(400, phraseOf(0.6));
export const brandNames = distinct(20_000, phraseOf(0.5));
/** What tags are taken from: they mean themes, places, moods and actions, and things that stories tell of. */
export const tags = [
  ...interleaved(themes, moods, actions, locations),
  ...storyWords.slice(usualWords, 3_000),
];
/** What advertisers want nothing to do with: some of it usual in stories, most of it rare. */
export const keywords = [...storyWords.slice(usualWords, 600), ...distinct(4_000, phraseOf(0.4))];

export const countries =
  "US GB DE FR BR IN JP CA MX KR ES IT AU NL PL SE TR AR ID PH TH VN ZA NG EG SA AE CH AT BE DK NO FI PT CZ RO HU GR IL NZ".split(
    " ",
  );
export const states = distinct(40, () => word().slice(0, 3).toUpperCase());
export const cities = distinct(400, word);

function interleaved(...lists: string[][]): string[] {
  const longest = Math.max(...lists.map((list) => list.length));
  const all = Array.from({ length: longest }, (_, place) => lists.map((list) => list[place])).flat();
  return [...new Set(all)].filter((entry) => entry !== undefined);
}
