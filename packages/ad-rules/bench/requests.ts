import type { MatchScene } from "../src/types/request.ts";
import type { SeededRandom } from "./random.ts";
import * as vocabulary from "./vocabulary.ts";
import { pointIn } from "./world.ts";

/** The measured kinds of requests. */
export const requestKinds = {
  /** A typical scene with all fields, a narrative of some 60 words and the player's place. */
  "several match": scene,
  /** A typical scene without a place, with the category as its only context. */
  "little context": littleContext,
  /** A narrative of the maximum length, 2000 characters. */
  "long narrative": (random: SeededRandom) =>
    telling(scene(random), vocabulary.narrative(random, 40).slice(0, 2_000)),
  /** A narrative of 60 words and phrases that campaigns all target, prefer or block. */
  "dense text": (random: SeededRandom) => telling(scene(random), vocabulary.denseNarrative(random, 60)),
  /** A scene that no campaign targets; every campaign of the world targets something. */
  "none matches": noneMatches,
} satisfies Record<string, (random: SeededRandom) => MatchScene>;

export type RequestKind = keyof typeof requestKinds;

function scene(random: SeededRandom): MatchScene {
  const country_code = random.zipf(vocabulary.countries);
  return {
    placement: {
      game_id: `game-${random.whole(1, 2_000)}`,
      is_active: true,
      placement_types: random.chance(0.6)
        ? ["narrative_hook", "product_mention", "location_brand", "character_reference"]
        : ["narrative_hook", "product_mention"],
      blocked_advertisers: random.chance(0.3)
        ? [`adv_01kb${random.whole(0, 2_000).toString(36).padStart(22, "0")}`]
        : [],
      blocked_categories: random.chance(0.3) ? random.several(vocabulary.categories, 2) : [],
    },
    context: {
      theme_id: random.zipf(vocabulary.themes),
      category: random.zipf(vocabulary.categories),
      narrative: vocabulary.narrative(random, 6),
      mood_tags: random.several(vocabulary.moods, 3),
      location: random.zipf(vocabulary.locations),
      actions: random.several(vocabulary.actions, 3),
    },
    geo: {
      country_code,
      state_code: random.zipf(vocabulary.states),
      city_name: random.zipf(vocabulary.cities),
      ...pointIn(random, country_code),
    },
    nowMs: Date.UTC(2026, 2, 1, 12),
  };
}

function telling(request: MatchScene, narrative: string): MatchScene {
  return { ...request, context: { ...request.context, narrative } };
}

function littleContext(random: SeededRandom): MatchScene {
  const request = scene(random);
  return { ...request, context: { category: request.context.category ?? null }, geo: null };
}

function noneMatches(random: SeededRandom): MatchScene {
  const request = scene(random);
  const strange = (words: number) =>
    Array.from({ length: words }, () => random.next().toString(36).slice(2, 9));
  return {
    ...request,
    context: {
      theme_id: strange(1).join(""),
      category: strange(1).join(""),
      narrative: strange(60).join(" "),
      mood_tags: strange(3),
      location: strange(2).join(" "),
      actions: strange(3),
    },
    geo: { country_code: "AQ", state_code: "XX", city_name: strange(1).join(""), lat: -89.5, lng: 0 },
  };
}
