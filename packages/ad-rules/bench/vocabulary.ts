import { SeededRandom } from "./random.ts";

/**
 * The words of the benchmark's campaigns and games. Words consist of syllables, so that there are enough of them. Lists
 * are ordered by descending frequency, for `SeededRandom.zipf`. Each list has an ending of its own, so that lists overlap
 * only on purpose: tags and keywords contain words of other lists, and narratives mention moods and places (`narrative`).
 */
const random = new SeededRandom(7);
const syllables =
  "ba do ka li mo ne ra si tu ve zo chi fen gor hal jun lor mar nok pel rin sol tam ul wen yor".split(" ");

/** No syllable ends like one of these endings. */
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

/** Words, and phrases of two words. */
function phrases(count: number, ending: string, shareOfTwo: number): string[] {
  return distinct(count, () =>
    random.chance(shareOfTwo) ? `${word(ending)} ${word(ending)}` : word(ending),
  );
}

export const storyWords = distinct(6_000, () => word());
/** Nobody targets or blocks the most frequent words, which make up about half of a story. */
const usualWords = 100;
export const categories = phrases(40, "ety", 0);
export const themes = phrases(300, "ics", 0.3);
export const moods = phrases(60, "ish", 0);
export const locations = phrases(800, "ford", 0.5);
export const actions = phrases(300, "ing", 0.2);
export const visuals = phrases(400, "ight", 0.6);
export const brandNames = phrases(20_000, "corp", 0.5);
/** Tags: themes, places, moods, actions and words of stories. */
export const tags = [
  ...interleaved(themes, moods, actions, locations),
  ...storyWords.slice(usualWords, 2_000),
];
/** Words that advertisers block: some are frequent in stories, most are rare. */
export const keywords = [...storyWords.slice(usualWords, 600), ...phrases(4_000, "ox", 0.4)];
/** What a narrative mentions now and then besides the words of a story. */
const mentioned = [moods, locations, actions, themes, visuals];
/** Everything that a campaign may search for in a narrative. */
const sought = [tags, keywords, visuals];

/** Sentences of ten words: nine words of a story, and one entry of the other lists. */
export function narrative(from: SeededRandom, sentences: number): string {
  return Array.from({ length: sentences }, () => {
    const thing = from.zipf(mentioned[from.whole(0, mentioned.length - 1)] ?? moods);
    return `${storyOf(from, 5)} ${thing} ${storyOf(from, 4)}.`;
  }).join(" ");
}

/** Sentences that consist only of what campaigns may search for. */
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
  const all = Array.from({ length: longest }, (_, index) => lists.map((list) => list[index])).flat();
  return [...new Set(all)].filter((entry) => entry !== undefined);
}
