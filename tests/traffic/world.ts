import type { DiegeticClient, NewAffinity, NewCampaign, NewGeoTarget } from "@diegetic/client";

export interface Game {
  id: string;
  category: string;
  themeId: string;
  scenes: { location: string; narrative: string; moods: string[]; actions: string[] }[];
}

interface CampaignPlan {
  campaign: NewCampaign;
  brand: string;
  hooks: [string, ...string[]];
  affinities: NewAffinity[];
  geo?: NewGeoTarget;
}

const scene = (location: string, narrative: string, moods: string[], actions: string[]) => {
  return { location, narrative, moods, actions };
};

/** Ids carry the run, so that a stack takes traffic again and again. */
export function games(run: string): Game[] {
  return [
    {
      id: `moonlit-keep-${run}`,
      category: "fantasy",
      themeId: "medieval",
      scenes: [
        scene("tavern", "Rain drums on the roof of the tavern.", ["calm", "cosy"], ["talk", "drink"]),
        scene("market", "Traders shout over baskets of fruit.", ["lively"], ["trade"]),
        scene("forest", "Something moves between the trees.", ["tense"], ["fight", "hide"]),
      ],
    },
    {
      id: `orbital-${run}`,
      category: "science_fiction",
      themeId: "space",
      scenes: [
        scene("station bar", "Neon light falls on the counter.", ["cosy"], ["drink", "talk"]),
        scene("bridge", "An alarm turns the bridge red.", ["tense"], ["fight"]),
      ],
    },
  ];
}

const campaignPlans: CampaignPlan[] = [
  {
    campaign: { name: "Ale by the fire", budget_cents: 2_000, cpm_bid_cents: 1_200, priority: 6 },
    brand: "Hearthwell",
    hooks: ["The innkeeper pours you a Hearthwell ale.", "It smells of Hearthwell malt."],
    affinities: [
      { affinity_type: "location", affinity_value: "tavern", weight: 2 },
      { affinity_type: "lighting", affinity_value: "warm" },
    ],
  },
  {
    campaign: {
      name: "Boots for the road",
      budget_cents: 1_000,
      cpm_bid_cents: 1_500,
      daily_cap_cents: 100,
      target_categories: ["fantasy"],
    },
    brand: "Greyfell",
    hooks: ["A rider passes in Greyfell boots, dry to the ankle."],
    affinities: [{ affinity_type: "mood", affinity_value: "tense" }],
  },
  {
    campaign: { name: "Orbit cola", budget_cents: 20, cpm_bid_cents: 2_000 },
    brand: "Orbit",
    hooks: ["A can of Orbit drifts past, still cold."],
    affinities: [{ affinity_type: "action", affinity_value: "drink" }],
  },
  {
    campaign: { name: "German bakery", budget_cents: 1_000, cpm_bid_cents: 1_100 },
    brand: "Kornhaus",
    hooks: ["The loaf bears the seal of Kornhaus."],
    affinities: [{ affinity_type: "mood", affinity_value: "lively" }],
    geo: { target_type: "country", country_code: "DE" },
  },
];

/** Pauses what `prepare` has activated. */
export async function pauseCampaigns({ api }: DiegeticClient): Promise<void> {
  for (const { id, status } of await api.listCampaigns()) {
    if (status === "active") await api.pauseCampaign({ campaign_id: id });
  }
}

/** Registers an advertiser with campaigns, some of which run out, and enables the games. */
export async function prepare({ api }: DiegeticClient, run: string): Promise<Game[]> {
  const contact = { company_name: `Traffic ${run}`, contact_email: `traffic-${run}@example.com` };
  await api.registerAdvertiser({ body: contact });
  await api.depositFunds({ body: { amount_cents: 10_000 } });
  for (const plan of campaignPlans) {
    const { id } = await api.createCampaign({ body: plan.campaign });
    const [hook, ...others] = plan.hooks;
    await api.createCreative({
      campaign_id: id,
      body: {
        creative_type: "narrative_hook",
        brand_name: plan.brand,
        narrative_hook: hook,
        alt_hooks: others,
      },
    });
    await api.replaceAffinities({ campaign_id: id, body: { affinities: plan.affinities } });
    if (plan.geo !== undefined) await api.createGeoTarget({ campaign_id: id, body: plan.geo });
    await api.activateCampaign({ campaign_id: id });
  }
  const created = games(run);
  for (const game of created) {
    const body = {
      creator_id: "traffic",
      placement_types: ["narrative_hook" as const],
      max_ads_per_session: 6,
    };
    await api.enablePlacement({ game_id: game.id, body });
  }
  return created;
}
