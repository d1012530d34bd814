import { SeededRandom } from "./random.ts";

/**
 * What the benchmark's campaigns and games talk about. Words are made of syllables, so that there are as many as one
 * wants; lists run from the most to the least usual, for `SeededRandom.zipf`. Each list has an ending of its own, so that
 * a word stands in two of them only where that is meant: tags and keywords are partly words of the other lists, and
 * narratives mention moods, places and the like (`narrative`).
 */
const random = new SeededRandom(7);
const syllables =
  "ba do ka li mo ne ra si tu ve zo chi fen gor hal jun lor mar nok pel rin sol tam ul wen yor".split(" ");

/** No syllable ends as an ending does. */
function word(ending = ""): string {
  const made = Array.from(
    { length: random.whole(2, 3) },
    () => syllables[random.whole(0, syllables.length - 1)],
  );
  return made.join("") + ending;
}

function distinct(count: number, make: () => string): string[] {
  const made = new Set<string>();
  while (made.size < count) made.add(make());
  return [...made];
}

/** Words, and phrases of two. */
function phrases(count: number, ending: string, shareOfTwo: number): string[] {
  return distinct(count, () =>
    random.chance(shareOfTwo) ? `${word(ending)} ${word(ending)}` : word(ending),
  );
}

export const storyWords = distinct(6_000, () => word());
/** The most usual words of stories, about half of what they consist of, are those that nobody targets or blocks. */
const usualWords = 100;
export const categories = phrases(40, "ety", 0);
export const themes = phrases(300, "ics", 0.3);
export const moods = phrases(60, "ish", 0);
export const locations = phrases(800, "ford", 0.5);
export const actions = phrases(300, "ing", 0.2);
export const visuals = phrases(400, "ight", 0.6);
export const brandNames = phrases(20_000, "corp", 0.5);
/** What tags are taken from: they mean themes, places, moods and actions, and things that stories tell of. */
export const tags = [
  ...interleaved(themes, moods, actions, locations),
  ...storyWords.slice(usualWords, 2_000),
];
/** What advertisers want nothing to do with: some of it usual in stories, most of it rare. */
export const keywords = [...storyWords.slice(usualWords, 600), ...phrases(4_000, "ox", 0.4)];
/** What a narrative mentions now and then beside the words that make up a story. */
const mentioned = [moods, locations, actions, themes, visuals];
/** Everything that a campaign may seek in a narrative. */
const sought = [tags, keywords, visuals];

/** Sentences of ten words: nine of a story, and one thing of which there are lists. */
export function narrative(from: SeededRandom, sentences: number): string {
  return Array.from({ length: sentences }, () => {
    const thing = from.zipf(mentioned[from.whole(0, mentioned.length - 1)] ?? moods);
    return `${storyOf(from, 5)} ${thing} ${storyOf(from, 4)}.`;
  }).join(" ");
}

/** The same of nothing but what campaigns may seek. */
export function denseNarrative(from: SeededRandom, words: number): string {
  return Array.from({ length: words }, () =>
    from.zipf(sought[from.whole(0, sought.length - 1)] ?? tags),
  ).join(" ");
}

export function storyOf(from: SeededRandom, words: number): string {
  return Array.from({ length: words }, () => from.zipf(storyWords)).join(" ");
}

export const countries =
  "US GB DE FR BR IN JP CA MX KR ES IT AU NL PL SE TR AR ID PH TH VN ZA NG EG SA AE CH AT BE DK NO FI PT CZ RO HU GR IL NZ".split(
    " ",
  );
export const states = distinct(40, () => word().slice(0, 3).toUpperCase());
export const cities = phrases(400, "burg", 0);

function interleaved(...lists: string[][]): string[] {
  const longest = Math.max(...lists.map((list) => list.length));
  const all = Array.from({ length: longest }, (_, place) => lists.map((list) => list[place])).flat();
  return [...new Set(all)].filter((entry) => entry !== undefined);
}
