import type { Pipeline } from "../../scene/vocabulary.ts";
import type { GameContext } from "../games/scene-link.ts";

export interface Choice {
  label: string;
  to: SceneId;
}

export interface AdventureScene {
  title: string;
  /** Where the drawing takes place while no ad says otherwise. */
  place: string;
  /** The game's own look; an ad may change parts of it. */
  look: Pipeline;
  /** Who speaks the inserted line; the narrator when left out. */
  speaker?: string;
  /** What the game says before the inserted line, and after it. */
  before: string;
  after: string;
  choices: readonly Choice[];
  /** What the game server tells the service of this scene. */
  context: GameContext;
}

export type SceneId = "road" | "tavern" | "market" | "harbour" | "hall" | "library" | "fire";

export const FIRST_SCENE: SceneId = "road";

// With the words of the scenes: what the demo's campaigns target.
const everywhere = { category: "text-adventure", theme_id: "gothic" };

/** "The bell of Moonlit Keep": seven scenes that lead into each other. */
export const adventure: Readonly<Record<SceneId, AdventureScene>> = {
  road: {
    title: "The forest road",
    place: "forest road",
    look: { lighting: "moonlight", effects: "rain", mood: "mysterious" },
    before:
      "Rain drips from the pines. The bell of Moonlit Keep has not rung for three nights, and you have come to learn why. Something pale hangs from a milestone ahead.",
    after: "Past the milestone the road divides. Light falls from one side, voices from the other.",
    choices: [
      { label: "Follow the light to the tavern", to: "tavern" },
      { label: "Follow the voices to the market", to: "market" },
    ],
    context: {
      ...everywhere,
      location: "crossroads",
      mood_tags: ["mysterious"],
      actions: ["travel", "listen"],
      narrative: "Rain drips from the pines by moonlight. A traveller reads what hangs from a milestone.",
    },
  },
  tavern: {
    title: "The Drowned Lantern",
    place: "tavern",
    look: { lighting: "firelight", mood: "calm" },
    speaker: "Mira, who keeps the tavern",
    before: "Warmth, wet wool and a fire. Mira sets a mug before you without being asked and leans closer.",
    after:
      "Then, more quietly: “The bell? Ask at the keep. Or ask the ferryman; he saw who carried the rope away.”",
    choices: [
      { label: "Walk up to the keep", to: "hall" },
      { label: "Find the ferryman", to: "harbour" },
    ],
    context: {
      ...everywhere,
      location: "tavern",
      mood_tags: ["cozy", "calm"],
      actions: ["drink", "talk", "rest"],
      narrative: "A warm tavern by firelight. The keeper pours a drink and talks of the silent bell.",
    },
  },
  market: {
    title: "The night market",
    place: "market square",
    look: { lighting: "dusk", mood: "humorous" },
    speaker: "A pedlar with two hats",
    before: "Stalls crowd the square under paper lamps. A pedlar bows so low that one of his hats falls off.",
    after:
      "“And if you look for the bell rope, friend: someone sold a length of it to the ferryman at dusk.”",
    choices: [
      { label: "Go down to the harbour", to: "harbour" },
      { label: "Rest at the tavern first", to: "tavern" },
    ],
    context: {
      ...everywhere,
      location: "market",
      mood_tags: ["bustling", "humorous"],
      actions: ["barter", "talk"],
      narrative: "A pedlar at the night market offers his goods and a piece of gossip.",
    },
  },
  harbour: {
    title: "The empty harbour",
    place: "harbour",
    look: { lighting: "cold", effects: "fog", mood: "melancholic" },
    before:
      "Fog lies on the water. The ferryman coils a rope that is far too fine for his boat, and will not meet your eye.",
    after: "“Take it,” he says at last. “She paid me to hide it. The lady in the library, up at the keep.”",
    choices: [
      { label: "Carry the rope to the keep", to: "hall" },
      { label: "Slip into the library by the sea stair", to: "library" },
    ],
    context: {
      ...everywhere,
      location: "harbor",
      mood_tags: ["melancholic", "restless"],
      actions: ["wait", "travel"],
      narrative: "Fog on the harbour. A ferryman coils a rope and waits for a letter that does not come.",
    },
  },
  hall: {
    title: "The hall of the keep",
    place: "castle hall",
    look: { lighting: "torchlight", mood: "tense" },
    before:
      "Torches, banners, and forty faces that turn as the doors close behind you. The steward lifts a hand.",
    after:
      "“The bell stays silent until the book is found,” says the steward. “The library is yours tonight.”",
    choices: [
      { label: "Search the library", to: "library" },
      { label: "Leave while you can", to: "fire" },
    ],
    context: {
      ...everywhere,
      location: "castle hall",
      mood_tags: ["tense", "dramatic"],
      actions: ["enter", "search"],
      narrative: "Torchlight in the castle hall. The steward speaks before the whole court.",
    },
  },
  library: {
    title: "The library",
    place: "library",
    look: { lighting: "candlelight", effects: "dust", mood: "mysterious" },
    before:
      "Dust, candles, a ladder that goes up into the dark. Between two pages someone has left a slip of paper.",
    after:
      "Behind the slip, in the same hand: the true name of the bell. You say it aloud. Far above, bronze answers.",
    choices: [{ label: "Rest by the fire outside the walls", to: "fire" }],
    context: {
      ...everywhere,
      location: "library",
      mood_tags: ["mysterious"],
      actions: ["read", "search"],
      narrative: "Candlelight in the old library. A slip of paper between the pages of a book.",
    },
  },
  fire: {
    title: "A fire by the road",
    place: "campfire",
    look: { lighting: "moonlight", effects: "stars, embers", mood: "hopeful" },
    speaker: "A courier on her way north",
    before: "A courier shares her fire with you. The bell rings over the valley, slow and clear.",
    after: "You sleep well. In the morning the road is dry, and it leads on.",
    choices: [{ label: "Take the road again", to: "road" }],
    context: {
      ...everywhere,
      location: "campfire",
      mood_tags: ["hopeful", "cozy"],
      actions: ["rest", "talk"],
      narrative: "Two travellers rest by a campfire under the stars and listen to the bell.",
    },
  },
};
