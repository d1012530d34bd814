import { createDatabase } from "@diegetic/database";
import { createAccountWithKey } from "@diegetic/management";
import { eventually } from "@diegetic/testing/eventually";
import type { History } from "../history.ts";
import { type Client, type ClientKey, createClient } from "./client.ts";
import { deposit } from "./trade.ts";
import type { Advertiser, Campaign, Market } from "./traders.ts";

export type { Market } from "./traders.ts";

export const CATEGORIES = ["tea", "sea", "sky"] as const;
const ADVERTISERS = 3;
const SETUP_TIMEOUT_MS = 60_000;
const MAX_USES_PER_GAME = 3;

/** Tight budgets, a daily cap and a tight balance, so that money runs out in every way all the time. */
const PLANS = {
  tea: { budget_cents: 60, daily_cap_cents: null },
  sea: { budget_cents: 100_000, daily_cap_cents: 60 },
  sky: { budget_cents: 100_000, daily_cap_cents: null },
} as const;

/** Registers advertisers and games, deposits, and activates one campaign per advertiser and category. */
export async function openMarket(options: {
  baseUrl: () => string;
  databaseUrl: string;
  history: History;
}): Promise<Market> {
  const [developerKey, ...advertiserKeys] = await createKeys(options.databaseUrl, ADVERTISERS + 1);
  if (developerKey === undefined) throw new Error("there is no key");
  const client = (key: ClientKey) => createClient(options.baseUrl, key, options.history);
  const developer = client(developerKey);
  const games = [3, 50].map((maxAdsPerSession, index) => ({ gameId: `game-${index + 1}`, maxAdsPerSession }));
  for (const { gameId, maxAdsPerSession } of games) {
    await must(developer, 201, "POST", `/placements/${gameId}`, {
      creator_id: "studio",
      placement_types: ["narrative_hook"],
      revenue_share_pct: 62.35,
      max_ads_per_session: maxAdsPerSession,
    });
  }
  const advertisers = await Promise.all(advertiserKeys.map((key, index) => register(client(key), index)));
  await Promise.all(advertisers.map((advertiser) => deposit(options.history, advertiser)));
  const campaigns = await Promise.all(
    advertisers.flatMap((advertiser, index) =>
      CATEGORIES.map((category) => startCampaign(advertiser, category, 2_000 + index)),
    ),
  );
  // Keys that were created without publishing reach the match tier with the next round of management's loop.
  await eventually(
    async () => {
      const probe = { game_id: "game-1", user_id: "probe", game_context: { category: "none" } };
      return (await developer.call("POST", "/match", probe)).status === 204;
    },
    { timeoutMs: SETUP_TIMEOUT_MS, everyMs: 100 },
  );
  return { developer, games, advertisers, campaigns };
}

async function createKeys(databaseUrl: string, count: number): Promise<ClientKey[]> {
  const database = createDatabase(databaseUrl, { poolSize: 2, applicationName: "faults" });
  try {
    const keys: ClientKey[] = [];
    for (let index = 0; index < count; index += 1) {
      const options = { label: `faults ${index}`, rateLimitPerMinute: "unlimited" as const };
      const { keyId, key } = await createAccountWithKey({ database }, options);
      keys.push({ id: keyId, text: key });
    }
    return keys;
  } finally {
    await database.$disconnect();
  }
}

async function register(client: Client, index: number): Promise<Advertiser> {
  const profile = await must(client, 201, "POST", "/register", {
    company_name: `Emberroast ${index}`,
    contact_email: `ads-${index}@example.com`,
  });
  return { advertiserId: profile.id, client };
}

async function startCampaign(
  advertiser: Advertiser,
  category: (typeof CATEGORIES)[number],
  cpmBidCents: number,
): Promise<Campaign> {
  const campaignId = await activate(advertiser.client, {
    name: `Launch of ${category}`,
    cpm_bid_cents: cpmBidCents,
    target_categories: [category],
    ...PLANS[category],
  });
  return { campaignId, advertiser, category, maxUsesPerGame: MAX_USES_PER_GAME };
}

/** Creates a campaign with two creatives and activates it; returns its id. */
export async function activate(client: Client, plan: object): Promise<string> {
  const campaign = await must(client, 201, "POST", "/campaigns", plan);
  for (const hook of ["The kettle sings.", "Steam curls."]) {
    await must(client, 201, "POST", `/campaigns/${campaign.id}/creatives`, {
      creative_type: "narrative_hook",
      brand_name: "Emberroast",
      narrative_hook: hook,
      max_uses_per_game: MAX_USES_PER_GAME,
    });
  }
  await must(client, 200, "POST", `/campaigns/${campaign.id}/activate`);
  return campaign.id;
}

async function must(client: Client, status: number, method: string, path: string, body?: object) {
  const answer = await client.call(method, path, body);
  if (answer.status !== status) {
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}, not ${status}`);
  }
  return answer.body;
}
