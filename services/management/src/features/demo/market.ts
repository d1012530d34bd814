import type { AffinityCreate, CampaignStatus, CreativeType, GeoTargetCreate } from "@diegetic/contracts";
import type { SceneContext } from "@diegetic/hot-state";

/** The game in the three commands that `npm start` prints. */
export const DEMO_GAME_ID = "demo-game";

export interface DemoCreative {
  type: CreativeType;
  hook: string;
  altHooks: string[];
  product: string;
  /** Share of the campaign's impressions. */
  share: number;
}

/** A campaign of the demo account. Days count from the start of the history. */
export interface DemoCampaign {
  name: string;
  brand: string;
  tagline: string;
  bidCents: number;
  budgetCents: number;
  /** Above the busiest day: else the pacing status would depend on the time of day. */
  dailyCapCents?: number;
  /** Day of creation. */
  since: number;
  /** Day of its pause. */
  pausedOn?: number;
  /** First and last day of its flight. */
  flight?: readonly [first: number, last: number];
  /** Impressions on an average day. */
  daily: number;
  creatives: readonly DemoCreative[];
  affinities: readonly AffinityCreate[];
  geoTargets?: readonly GeoTargetCreate[];
  /** Never activated. */
  isDraft?: true;
}

export interface DemoGame {
  gameId: string;
  /** Share of all impressions. */
  share: number;
  sharePercent: number;
  /** Default: the placements' default. */
  maxAdsPerSession?: number;
  /** Day on which ads were disabled. */
  disabledOn?: number;
  scenes: readonly SceneContext[];
}

/**
 * Category of the games that all campaigns but the first target, so that a new advertiser's campaign has no competition
 * elsewhere.
 */
const CATEGORY = "text-adventure";

export const DEMO_CAMPAIGNS: readonly DemoCampaign[] = [
  {
    name: "Emberroast in every tavern",
    brand: "Emberroast",
    tagline: "Warm since the first fire.",
    bidCents: 500,
    budgetCents: 60_000,
    since: 0,
    daily: 420,
    creatives: [
      {
        type: "narrative_hook",
        hook: "The barkeeper slides a steaming mug of Emberroast across the counter. “On the house, traveller.”",
        altHooks: [
          "A faded Emberroast sign creaks above the tavern door.",
          "The air smells of Emberroast and rain.",
        ],
        product: "Emberroast Dark",
        share: 0.7,
      },
      {
        type: "product_mention",
        hook: "“Nothing keeps a night watch awake like Emberroast,” the guard says.",
        altHooks: [],
        product: "Emberroast Night Watch",
        share: 0.3,
      },
    ],
    affinities: [],
  },
  {
    name: "Oak & Barrel: the long evening",
    brand: "Oak & Barrel",
    tagline: "Stay for one more story.",
    bidCents: 1_200,
    budgetCents: 15_400,
    since: 2,
    flight: [2, 41],
    daily: 320,
    creatives: [
      {
        type: "location_brand",
        hook: "Lamplight spills from the Oak & Barrel; somebody has kept your corner free.",
        altHooks: [
          "The Oak & Barrel's fiddler nods at you as if you had never left.",
          "A tankard with the oak on it is warm before you ask.",
        ],
        product: "Long Evening Ale",
        share: 0.6,
      },
      {
        type: "narrative_hook",
        hook: "“Oak & Barrel pays its debts in ale,” the innkeeper says, and draws a deep one.",
        altHooks: ["Two barrels of Long Evening roll past, and the room cheers."],
        product: "Long Evening Ale",
        share: 0.4,
      },
    ],
    affinities: [
      { affinity_type: "location", affinity_value: "tavern", weight: 2 },
      { affinity_type: "mood", affinity_value: "cozy", weight: 1.5 },
      { affinity_type: "lighting", affinity_value: "candle light", weight: 1 },
      { affinity_type: "effects", affinity_value: "hearth smoke", weight: 0.6 },
      { affinity_type: "action", affinity_value: "drink", weight: 0.5 },
    ],
  },
  {
    name: "Nightweave cloaks for the cold road",
    brand: "Nightweave",
    tagline: "The road is long. The cloak is longer.",
    bidCents: 950,
    budgetCents: 9_000,
    since: 8,
    flight: [8, 37],
    daily: 90,
    creatives: [
      {
        type: "product_mention",
        hook: "A Nightweave cloak hangs at the cutler's stall, dark as the hour before dawn.",
        altHooks: ["The merchant lets you feel the hem: Nightweave, double-spun, dry in any rain."],
        product: "Nightweave Traveller",
        share: 1,
      },
    ],
    affinities: [
      { affinity_type: "location", affinity_value: "market", weight: 2 },
      { affinity_type: "mood", affinity_value: "bustling", weight: 1 },
      { affinity_type: "camera", affinity_value: "slow pan", weight: 1 },
      { affinity_type: "lighting", affinity_value: "grey morning", weight: 0.8 },
      { affinity_type: "action", affinity_value: "barter", weight: 1 },
    ],
    geoTargets: [{ target_type: "country", country_code: "US", include: false }],
  },
  {
    name: "Swift Heron: letters by dawn",
    brand: "Swift Heron Couriers",
    tagline: "Sealed at dusk, read at dawn.",
    bidCents: 1_400,
    budgetCents: 8_000,
    dailyCapCents: 600,
    since: 10,
    flight: [10, 39],
    daily: 230,
    creatives: [
      {
        type: "character_reference",
        hook: "A courier of the Swift Heron waters her horse, and grins at the mud on your boots.",
        altHooks: [
          "A heron's feather marks the milestone: the couriers have passed in the night.",
          "“Swift Heron rides whatever the weather,” the rider says. “You should write to someone.”",
        ],
        product: "The Dawn Letter",
        share: 1,
      },
    ],
    affinities: [
      { affinity_type: "location", affinity_value: "crossroads", weight: 2 },
      { affinity_type: "action", affinity_value: "travel", weight: 1.5 },
      { affinity_type: "mood", affinity_value: "restless", weight: 1 },
      { affinity_type: "effects", affinity_value: "low mist", weight: 0.7 },
      { affinity_type: "camera", affinity_value: "low angle", weight: 0.6 },
    ],
  },
  {
    name: "Moonwell candles",
    brand: "Moonwell",
    tagline: "Light that listens.",
    bidCents: 1_100,
    budgetCents: 7_400,
    since: 5,
    flight: [5, 32],
    daily: 240,
    creatives: [
      {
        type: "narrative_hook",
        hook: "A Moonwell candle burns blue on the reading desk, though nobody has lit it.",
        altHooks: ["Moonwell wax, pressed with a thumbprint, still soft: somebody was here a moment ago."],
        product: "Moonwell Blue",
        share: 0.75,
      },
      {
        type: "product_mention",
        hook: "“Tallow lies,” the librarian whispers. “Moonwell does not.”",
        altHooks: [],
        product: "Moonwell White",
        share: 0.25,
      },
    ],
    affinities: [
      { affinity_type: "location", affinity_value: "library", weight: 2 },
      { affinity_type: "mood", affinity_value: "mysterious", weight: 1.5 },
      { affinity_type: "lighting", affinity_value: "moonlight", weight: 1.2 },
      { affinity_type: "effects", affinity_value: "drifting dust", weight: 0.8 },
      { affinity_type: "action", affinity_value: "read", weight: 0.5 },
    ],
  },
  {
    name: "Ironleaf tea: first flush",
    brand: "Ironleaf",
    tagline: "Steeped in patience.",
    bidCents: 800,
    budgetCents: 4_000,
    since: 1,
    daily: 300,
    creatives: [
      {
        type: "product_mention",
        hook: "The herbalist pours Ironleaf without a word, and the shaking in your hands stops.",
        altHooks: ["A tin of Ironleaf stands among the poisons, and looks the most dangerous of all."],
        product: "Ironleaf First Flush",
        share: 1,
      },
    ],
    affinities: [
      { affinity_type: "location", affinity_value: "herbalist", weight: 2 },
      { affinity_type: "mood", affinity_value: "calm", weight: 1.5 },
    ],
  },
  {
    name: "Copperkettle Inn: rooms with a view",
    brand: "Copperkettle Inn",
    tagline: "Sleep above the clouds.",
    bidCents: 1_000,
    budgetCents: 8_000,
    since: 3,
    pausedOn: 19,
    daily: 150,
    creatives: [
      {
        type: "location_brand",
        hook: "High on the cliff, the Copperkettle Inn has one window lit, and it is yours.",
        altHooks: [],
        product: "The Tower Room",
        share: 1,
      },
    ],
    affinities: [
      { affinity_type: "theme", affinity_value: "gothic", weight: 1 },
      { affinity_type: "mood", affinity_value: "weary", weight: 1.5 },
    ],
    geoTargets: [
      { target_type: "country", country_code: "DE" },
      { target_type: "country", country_code: "FR" },
      { target_type: "radius", lat: 51.5, lng: -0.12, radius_km: 150 },
    ],
  },
  {
    name: "Saltmarsh ferries: opening week",
    brand: "Saltmarsh Ferries",
    tagline: "",
    bidCents: 900,
    budgetCents: 5_000,
    since: 27,
    daily: 0,
    creatives: [],
    affinities: [{ affinity_type: "location", affinity_value: "harbor", weight: 2 }],
    isDraft: true,
  },
];

/** Status of a campaign at the end of the history. */
export function statusOf({ isDraft, pausedOn }: DemoCampaign): CampaignStatus {
  if (isDraft) return "draft";
  return pausedOn === undefined ? "active" : "paused";
}

/** Target categories of a campaign; the first campaign has none and accepts every scene. */
export function targetCategoriesOf(campaign: DemoCampaign): string[] {
  return campaign === DEMO_CAMPAIGNS[0] ? [] : [CATEGORY];
}

const scene = (context: SceneContext): SceneContext => ({
  category: CATEGORY,
  theme_id: "gothic",
  ...context,
});

/** The game at `/play`. */
export const PLAY_GAME: DemoGame = {
  gameId: "moonlit-keep-demo",
  share: 0.4,
  sharePercent: 70,
  maxAdsPerSession: 50,
  // Each suits another campaign.
  scenes: [
    scene({
      location: "tavern",
      mood_tags: ["cozy"],
      actions: ["drink", "listen"],
      narrative:
        "Candle light and hearth smoke fill the low room. Rain drums on the shutters, and the fiddler tunes his strings.",
    }),
    scene({
      location: "market",
      mood_tags: ["bustling"],
      actions: ["barter"],
      narrative:
        "A grey morning over the stalls below the keep. Your eyes wander in a slow pan from cutler to chandler.",
    }),
    scene({
      location: "crossroads",
      mood_tags: ["restless"],
      actions: ["travel"],
      narrative: "Four roads, one signpost, low mist over the ditches. Hooves, somewhere, and coming closer.",
    }),
    scene({
      location: "library",
      mood_tags: ["mysterious"],
      actions: ["read"],
      narrative:
        "Moonlight through the high window, drifting dust above the open book. A page turns by itself.",
    }),
    scene({ location: "battlements", mood_tags: ["tense"], actions: ["watch"] }),
  ],
};

export const DEMO_GAMES: readonly DemoGame[] = [
  PLAY_GAME,
  {
    gameId: "harbor-of-lanterns",
    share: 0.26,
    sharePercent: 70,
    scenes: [
      scene({ theme_id: "maritime", location: "harbor", mood_tags: ["restless"], actions: ["travel"] }),
      scene({ theme_id: "maritime", location: "smithy", mood_tags: ["gruff"], actions: ["repair"] }),
      scene({ theme_id: "maritime", location: "tavern", mood_tags: ["rowdy"], actions: ["drink", "sing"] }),
    ],
  },
  {
    gameId: "ashen-vale",
    share: 0.18,
    sharePercent: 65,
    scenes: [
      scene({ location: "herbalist", mood_tags: ["calm"], actions: ["heal"] }),
      scene({ location: "crypt", mood_tags: ["tense"], actions: ["sneak"] }),
    ],
  },
  {
    gameId: DEMO_GAME_ID,
    share: 0.1,
    sharePercent: 70,
    scenes: [{ location: "tavern" }, { location: "square", mood_tags: ["calm"] }],
  },
  {
    gameId: "old-mill-mystery",
    share: 0.06,
    sharePercent: 75,
    disabledOn: 16,
    scenes: [scene({ theme_id: "mystery", location: "mill", mood_tags: ["eerie"], actions: ["search"] })],
  },
];

/** Countries of the players; null: the game sends none. */
export const DEMO_COUNTRIES: readonly [country: string | null, share: number][] = [
  ["US", 0.27],
  ["DE", 0.17],
  ["GB", 0.12],
  ["FR", 0.09],
  ["BR", 0.08],
  ["JP", 0.07],
  ["PL", 0.05],
  ["CA", 0.05],
  ["ES", 0.04],
  ["SE", 0.03],
  [null, 0.03],
];
