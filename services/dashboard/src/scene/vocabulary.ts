/** The words that the stage knows, per override. A value shows everything whose word it contains. */

const PLACES = {
  tavern: ["tavern", "inn", "pub", "bar", "alehouse", "taproom", "brewery", "cafe", "coffeehouse", "saloon"],
  forest: ["forest", "wood", "woods", "grove", "jungle", "swamp", "glade", "garden", "park"],
  castle: ["castle", "keep", "fortress", "palace", "throne", "tower", "hall", "court", "citadel", "ramparts"],
  city: [
    "city",
    "street",
    "alley",
    "town",
    "market",
    "bazaar",
    "square",
    "rooftop",
    "downtown",
    "arcade",
    "district",
    "plaza",
    "shop",
  ],
  harbour: [
    "harbour",
    "harbor",
    "port",
    "dock",
    "docks",
    "pier",
    "sea",
    "ship",
    "beach",
    "coast",
    "island",
    "lighthouse",
    "river",
    "lake",
  ],
  dungeon: [
    "dungeon",
    "cave",
    "cavern",
    "crypt",
    "cellar",
    "mine",
    "catacombs",
    "tomb",
    "sewer",
    "vault",
    "ruins",
  ],
  mountains: [
    "mountain",
    "mountains",
    "peak",
    "pass",
    "summit",
    "cliff",
    "valley",
    "glacier",
    "arctic",
    "tundra",
  ],
  desert: ["desert", "dune", "dunes", "oasis", "canyon", "wasteland", "savanna"],
  space: [
    "space",
    "spaceship",
    "starship",
    "station",
    "orbit",
    "cockpit",
    "bridge",
    "hangar",
    "planet",
    "moonbase",
    "lab",
    "laboratory",
  ],
  road: [
    "road",
    "camp",
    "campfire",
    "village",
    "field",
    "farm",
    "meadow",
    "crossroads",
    "trail",
    "highway",
    "plain",
    "plains",
    "racetrack",
    "track",
    "stadium",
  ],
  interior: [
    "room",
    "house",
    "home",
    "library",
    "study",
    "kitchen",
    "bedroom",
    "office",
    "school",
    "temple",
    "church",
    "workshop",
    "forge",
    "herbalist",
  ],
};
export type Place = keyof typeof PLACES;

const LIGHTS = {
  candle: [
    "candle",
    "candlelight",
    "candlelit",
    "lantern",
    "torch",
    "torchlight",
    "firelight",
    "fire",
    "hearth",
  ],
  warm: ["warm", "cozy", "cosy", "amber", "soft", "glowing", "glow"],
  moon: ["moon", "moonlight", "moonlit", "night", "midnight", "starlight"],
  gold: ["gold", "golden", "sunrise", "dawn", "morning", "sunlit", "sunlight"],
  dusk: ["dusk", "sunset", "evening", "twilight", "purple", "red", "crimson"],
  day: ["day", "daylight", "bright", "noon", "high-key", "sunny", "white"],
  dim: ["dim", "dark", "shadow", "shadows", "shadowy", "low", "low-key", "gloomy", "noir"],
  neon: ["neon", "cyber", "cyberpunk", "electric", "fluorescent", "pink"],
  cold: ["cold", "cool", "blue", "icy", "harsh", "stark", "pale"],
  eerie: ["eerie", "green", "toxic", "ghostly", "sickly", "haunted"],
};
export type Light = keyof typeof LIGHTS;

const EFFECTS = {
  rain: ["rain", "raindrops", "drizzle", "storm", "thunderstorm", "downpour", "wet"],
  snow: ["snow", "snowfall", "blizzard", "frost", "flurries"],
  fog: ["fog", "mist", "haze", "misty", "foggy", "clouds"],
  embers: ["ember", "embers", "spark", "sparks", "fire", "flame", "flames", "fireplace"],
  smoke: ["smoke", "steam", "vapor", "vapour", "incense"],
  dust: ["dust", "motes", "sand", "pollen", "particles", "sandstorm"],
  stars: ["stars", "starry", "galaxy", "nebula", "aurora"],
  sparkle: ["sparkle", "sparkles", "glitter", "magic", "fireflies", "shimmer", "bloom", "glow", "bubbles"],
  leaves: ["leaves", "petals", "blossom", "blossoms", "wind", "autumn"],
  lightning: ["lightning", "thunder", "storm", "thunderstorm", "flash"],
  confetti: ["confetti", "fireworks", "celebration", "party"],
};
export type Effect = keyof typeof EFFECTS;

const CAMERAS = {
  close: ["close", "closeup", "close-up", "macro", "zoom", "portrait", "tight", "intimate", "detail"],
  wide: ["wide", "establishing", "panorama", "panoramic", "long", "landscape", "cinematic"],
  low: ["low", "hero", "worm", "upward", "ground"],
  high: ["high", "overhead", "bird", "birds", "aerial", "top", "top-down", "isometric", "crane"],
  tilted: ["tilted", "tilt", "dutch", "handheld", "shaky", "shake", "canted"],
  shoulder: ["shoulder", "over-the-shoulder", "pov", "first-person", "person"],
  moving: [
    "pan",
    "panning",
    "tracking",
    "dolly",
    "orbit",
    "slow",
    "push",
    "push-in",
    "steadicam",
    "follow",
    "sweeping",
  ],
};
export type Camera = keyof typeof CAMERAS;

const MOODS = {
  tense: [
    "tense",
    "suspense",
    "suspenseful",
    "danger",
    "dangerous",
    "fear",
    "scary",
    "horror",
    "anxious",
    "threatening",
    "restless",
  ],
  hopeful: [
    "hopeful",
    "hope",
    "inspiring",
    "uplifting",
    "optimistic",
    "triumphant",
    "joyful",
    "happy",
    "cheerful",
    "warm",
  ],
  dramatic: ["dramatic", "epic", "heroic", "intense", "grand"],
  calm: ["calm", "peaceful", "serene", "relaxed", "cozy", "cosy", "quiet", "relaxing", "tranquil", "restful"],
  chaotic: ["chaotic", "chaos", "frantic", "wild", "energetic", "excited", "battle", "bustling"],
  mysterious: ["mysterious", "mystery", "eerie", "magical", "strange", "dreamy", "secret"],
  humorous: ["humorous", "funny", "playful", "silly", "lighthearted", "comic", "festive"],
  melancholic: [
    "melancholic",
    "melancholy",
    "sad",
    "lonely",
    "wistful",
    "nostalgic",
    "somber",
    "sombre",
    "tired",
    "weary",
  ],
};
export type Mood = keyof typeof MOODS;

export interface Staging {
  place: Place | undefined;
  light: Light | undefined;
  effects: Effect[];
  camera: Camera | undefined;
  mood: Mood | undefined;
  /** Every override that was given, and whether the stage shows it. */
  overrides: { name: string; value: string; isShown: boolean }[];
}

export type Pipeline = Readonly<Partial<Record<string, string>>>;

function meanings<Meaning extends string>(
  words: Readonly<Record<Meaning, readonly string[]>>,
  value: string | undefined,
): Meaning[] {
  if (value === undefined) return [];
  const said = value.toLowerCase().match(/[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*/gu) ?? [];
  const parts = new Set([...said, ...said.flatMap((word) => word.split("-"))]);
  return (Object.keys(words) as Meaning[]).filter((meaning) =>
    words[meaning].some((word) => parts.has(word)),
  );
}

/**
 * How the stage is set for a pipeline; `place` stands in where the pipeline names no location, and instead of it with
 * `staysInPlace`.
 */
export function stage(
  pipeline: Pipeline,
  place?: string,
  { staysInPlace = false }: { staysInPlace?: boolean | undefined } = {},
): Staging {
  const { location, lighting, effects, camera, mood } = pipeline;
  const found = {
    location: meanings(PLACES, location),
    lighting: meanings(LIGHTS, lighting),
    effects: meanings(EFFECTS, effects),
    camera: meanings(CAMERAS, camera),
    mood: meanings(MOODS, mood),
  };
  const own = meanings(PLACES, place)[0];
  if (staysInPlace && own !== undefined) found.location = found.location[0] === own ? [own] : [];
  return {
    place: found.location[0] ?? own,
    light: found.lighting[0],
    effects: found.effects,
    camera: found.camera[0],
    mood: found.mood[0],
    overrides: Object.entries(pipeline).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [{ name, value, isShown: name in found && found[name as keyof typeof found].length > 0 }],
    ),
  };
}
