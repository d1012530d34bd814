import {
  DAY_MS,
  type Database,
  inTransaction,
  type Transaction,
  utcDay,
  withStatements,
} from "@diegetic/database";
import { type Advertiser, findAdvertiser, insertAdvertiser } from "../../core/advertisers/store.ts";
import { newAffinity } from "../../core/campaign-rows/affinities.ts";
import { settingsOfNewCreative } from "../../core/campaign-rows/creative.ts";
import { newGeoTarget } from "../../core/campaign-rows/geo-target.ts";
import type { WholeCampaign } from "../../core/campaign-rows/statements.ts";
import { recordCampaignSize } from "../../core/campaigns/published-size.ts";
import { sha256Hex } from "../../core/shared/sha256.ts";
import { insertAccountWithKey } from "../api-keys/create-account.ts";
import { derivedKeySecret } from "../api-keys/key-secret.ts";
import { insertCampaigns, newCampaign } from "../campaigns/new-campaigns.ts";
import { settingsOfNewCampaign } from "../campaigns/rules.ts";
import { newCreative } from "../creatives/store.ts";
import { addDeposit } from "../deposit/endpoints.ts";
import { restoreDemoAccess } from "./end.ts";
import { createGame } from "./game.ts";
import {
  DEMO_CAMPAIGNS,
  DEMO_GAME_ID,
  DEMO_GAMES,
  type DemoCampaign,
  statusOf,
  targetCategoriesOf,
} from "./market.ts";

/** Age of the demo account at its creation, in days. */
export const HISTORY_DAYS = 28;
/** Day and amount. The history leaves a small balance, enough to play for hours. */
const DEPOSITS: readonly [day: number, cents: number][] = [
  [0, 22_000],
  [11, 10_000],
  [20, 10_000],
];

export interface Demo {
  accountId: string;
  /** The demo key; deterministic for a secret. */
  key: string;
  gameId: string;
}

/**
 * Ensures that the demo exists: an account with a key, an agency with a balance, campaigns of several brands, and games
 * of its own. Existing rows stay as they are. Run it before management starts, which publishes it.
 * @param secret the installation's, at least 32 characters: the key is derived from it, only its SHA-256 is stored
 */
export async function createDemo(database: Database, secret: string, nowMs: number): Promise<Demo> {
  const key = derivedKeySecret(secret, "demo key");
  return inTransaction(
    database,
    async (transaction) => {
      // Prevents two processes that start together from both creating it.
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('demo data', 0))`;
      const accountId = await demoAccount(transaction, key);
      await restoreDemoAccess(transaction, accountId, secret);
      if ((await findAdvertiser(transaction, accountId)) === undefined) {
        const sinceMs = nowMs - HISTORY_DAYS * DAY_MS;
        const advertiser = await createAdvertiser(transaction, accountId, sinceMs);
        for (const campaign of DEMO_CAMPAIGNS) {
          await createCampaign(transaction, advertiser, campaign, sinceMs);
        }
        for (const game of DEMO_GAMES) await createGame(transaction, accountId, game, sinceMs);
      }
      return { accountId, key, gameId: DEMO_GAME_ID };
    },
    { timeoutMs: 60_000 },
  );
}

async function demoAccount(transaction: Transaction, key: string): Promise<string> {
  const existing = await transaction.apiKey.findUnique({ where: { sha256: sha256Hex(key) } });
  if (existing !== null) return existing.accountId;
  const { accountId } = await insertAccountWithKey(transaction, { label: "Demo" }, key);
  return accountId;
}

async function createAdvertiser(
  transaction: Transaction,
  accountId: string,
  sinceMs: number,
): Promise<Advertiser> {
  const profile = {
    company_name: "Lantern Row Agency",
    // Unique per account, so that a second installation's demo fits into the same database.
    contact_email: `demo+${accountId}@example.com`,
    website: "https://example.com/lantern-row",
  };
  const advertiser = await insertAdvertiser(transaction, accountId, profile, sinceMs);
  for (const [day, cents] of DEPOSITS) {
    await addDeposit(transaction, advertiser, cents, sinceMs + day * DAY_MS);
  }
  return advertiser;
}

async function createCampaign(
  transaction: Transaction,
  advertiser: Advertiser,
  campaign: DemoCampaign,
  sinceMs: number,
): Promise<void> {
  const createdMs = sinceMs + campaign.since * DAY_MS;
  const settings = settingsOfNewCampaign({
    name: campaign.name,
    budget_cents: campaign.budgetCents,
    cpm_bid_cents: campaign.bidCents,
    target_categories: targetCategoriesOf(campaign),
    ...(campaign.dailyCapCents !== undefined && { daily_cap_cents: campaign.dailyCapCents }),
    ...(campaign.flight !== undefined && {
      start_date: utcDay(sinceMs + campaign.flight[0] * DAY_MS),
      end_date: utcDay(sinceMs + campaign.flight[1] * DAY_MS),
    }),
  });
  const draft = newCampaign(advertiser.id, settings, createdMs);
  const owner = { id: draft.id, nextVersion: draft.version };
  const whole: WholeCampaign = {
    ...draft,
    status: statusOf(campaign),
    creatives: campaign.creatives.map(({ type, hook, altHooks, product }) => {
      const creative = settingsOfNewCreative({
        creative_type: type,
        brand_name: campaign.brand,
        product_name: product,
        tagline: campaign.tagline,
        narrative_hook: hook,
        alt_hooks: altHooks,
        max_uses_per_game: 20,
      });
      return newCreative(draft.id, type, creative, createdMs);
    }),
    geoTargets: (campaign.geoTargets ?? []).map((target) => newGeoTarget(owner, target, createdMs)),
    blocklistRules: [],
    affinities: campaign.affinities.map((affinity) => newAffinity(owner, affinity, createdMs)),
  };
  await withStatements(transaction, async (statements) => {
    const publishedBytes = await recordCampaignSize(statements, whole, { mayGrow: true });
    insertCampaigns(statements, [{ ...whole, publishedBytes }]);
  });
}
