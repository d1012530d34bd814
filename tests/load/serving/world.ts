import { createHash } from "node:crypto";
import { entityName, type SnapshotCampaign, type SnapshotPlacement } from "@diegetic/contracts";
import {
  createMoneyCommands,
  type RedisConnection,
  type SnapshotEntry,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { openWallet } from "@diegetic/testing/open-wallet";
import { SeededRandom } from "../../../packages/ad-rules/bench/random.ts";
import { campaignJson } from "../../../packages/ad-rules/bench/world.ts";

/** Key of the game servers, without a rate limit. */
export const KEY = "igk_benchmark_benchmark_benchmark_benchmark";
export const GAMES = 200;
const ACCOUNT = "acct_benchmark";
/** Number of campaigns per world that have no targeting and the lowest bid: every request finds an ad in every world. */
const BROAD_CAMPAIGNS = 4;
const LOWEST_BID_CENTS = 100;
const DEPOSIT_MILLICENTS = 1_000_000_000_000;
const PAGE = 500;
const DAY_MS = 86_400_000;
/** The day around which the campaigns' flights are scattered. */
const MADE_FOR_MS = Date.UTC(2026, 2, 1);

export function gameName(number: number): string {
  return `game-${number}`;
}

/** Opens the wallets of all advertisers with sufficient money, and publishes the snapshot, with the product's own code. */
export async function makeWorld(redis: RedisConnection, size: number): Promise<void> {
  const money = createMoneyCommands(redis);
  const opened = new Set<string>();
  const openWallets = async (page: readonly SnapshotCampaign[]) => {
    const advertisers = [...new Set(page.map((campaign) => campaign.advertiser_id))];
    const fresh = advertisers.filter((id) => !opened.has(id));
    const account = { version: 1, depositedMillicents: DEPOSIT_MILLICENTS };
    await Promise.all(fresh.map((advertiserId) => openWallet(money, { advertiserId, ...account })));
    for (const advertiserId of fresh) opened.add(advertiserId);
    const budget = { budgetMillicents: DEPOSIT_MILLICENTS, dailyCapMillicents: null };
    const seed = { spentMillicents: 0, impressions: 0, day: "2026-01-01", daySpentMillicents: 0 };
    await Promise.all(
      page.map(({ advertiser_id: advertiserId, campaign_id: campaignId, version, status }) =>
        money.applyCampaign({ advertiserId, campaignId, version, status, ...budget, seed }),
      ),
    );
  };
  await new SnapshotPublisher(redis).rebuild(pagesOf(size, openWallets));
}

/**
 * Publishes only the snapshot, without money. Returns its version.
 * @param beforeComplete runs when all of it is in Redis, before instances may load it
 */
export function publishWorld(
  redis: RedisConnection,
  size: number,
  beforeComplete: () => Promise<unknown>,
): Promise<number> {
  async function* pages() {
    yield* pagesOf(size, () => Promise.resolve());
    await beforeComplete();
  }
  return new SnapshotPublisher(redis).rebuild(pages());
}

async function* pagesOf(
  size: number,
  openWallets: (page: readonly SnapshotCampaign[]) => Promise<void>,
): AsyncGenerator<SnapshotEntry[]> {
  yield gameServers();
  for (let start = 0; start < size; start += PAGE) {
    const length = Math.min(PAGE, size - start);
    const page = Array.from({ length }, (_, index) => campaignOf(start + index));
    await openWallets(page);
    yield [...advertisersOf(page), ...page.map(campaignEntry)];
  }
}

/** A campaign of the world; deterministic for a number. */
export function campaignOf(number: number, version = 1): SnapshotCampaign {
  const campaign = JSON.parse(campaignJson(number, version)) as SnapshotCampaign;
  campaign.start_date = moved(campaign.start_date);
  campaign.end_date = moved(campaign.end_date);
  if (number >= BROAD_CAMPAIGNS) return campaign;
  return {
    ...campaign,
    status: "active",
    cpm_bid_cents: LOWEST_BID_CENTS,
    start_date: null,
    end_date: null,
    target_categories: [],
    target_tags: [],
    geo_targets: [],
    blocklist: [],
    affinities: [],
  };
}

export function campaignEntry(campaign: SnapshotCampaign): SnapshotEntry {
  const { campaign_id, version } = campaign;
  return { name: entityName.campaign(campaign_id), rowVersion: version, json: JSON.stringify(campaign) };
}

/** Moves flights from the original day to today. */
function moved(date: string | null): string | null {
  if (date === null) return null;
  const days = Math.floor((Date.now() - MADE_FOR_MS) / DAY_MS);
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

function advertisersOf(page: readonly SnapshotCampaign[]): SnapshotEntry[] {
  return [...new Set(page.map((campaign) => campaign.advertiser_id))].map((advertiser_id) => {
    const advertiser = { advertiser_id, account_id: "acct_advertiser", version: 1 };
    return { name: entityName.advertiser(advertiser_id), rowVersion: 1, json: JSON.stringify(advertiser) };
  });
}

function gameServers(): SnapshotEntry[] {
  const key = {
    key_id: "key_benchmark",
    account_id: ACCOUNT,
    version: 1,
    scopes: ["serving"],
    rate_limit_per_minute: "unlimited",
    expires_at_ms: null,
  };
  const name = entityName.apiKey(createHash("sha256").update(KEY).digest("hex"));
  const games = Array.from({ length: GAMES }, (_, number) => placement(number));
  return [
    { name, rowVersion: 1, json: JSON.stringify(key) },
    ...games.map((game) => ({
      name: entityName.placement(game.game_id),
      rowVersion: 1,
      json: JSON.stringify(game),
    })),
  ];
}

function placement(number: number): SnapshotPlacement {
  const random = new SeededRandom(number * 31 + 5);
  return {
    game_id: gameName(number),
    account_id: ACCOUNT,
    version: 1,
    is_active: true,
    placement_types: ["narrative_hook", "product_mention", "location_brand", "character_reference"],
    revenue_share_basis_points: random.whole(50, 90) * 100,
    max_ads_per_session: 10,
    blocked_advertisers: random.chance(0.3)
      ? [`adv_01kb${random.whole(4, 2_000).toString(36).padStart(22, "0")}`]
      : [],
    blocked_categories: [],
  };
}
