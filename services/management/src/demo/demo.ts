import type { CreativeType } from "@diegetic/contracts";
import { type Database, inTransaction, type Transaction } from "@diegetic/database";
import { type Advertiser, findAdvertiser, insertAdvertiser } from "../advertiser/store.ts";
import { insertAccountWithKey } from "../api-keys/create-account.ts";
import { derivedKeyText, keySha256 } from "../api-keys/key-text.ts";
import { newSettings as newCampaign } from "../campaigns/rules.ts";
import { insertCampaign, updateStatus } from "../campaigns/store.ts";
import { newSettings as newCreative } from "../creatives/creative.ts";
import { insertCreative } from "../creatives/store.ts";
import { addDeposit } from "../deposit/endpoints.ts";
import { enabledSettings } from "../placements/placement.ts";
import { enablePlacement, findPlacement } from "../placements/store.ts";

/** The game whose placement the demo data enable. */
export const DEMO_GAME_ID = "demo-game";
const DEMO_DEPOSIT_CENTS = 1_000_000;

const CREATIVES: { type: CreativeType; hook: string; altHooks: string[]; product: string }[] = [
  {
    type: "narrative_hook",
    hook: 'The barkeeper slides a steaming mug of Emberroast across the counter. "On the house, traveller."',
    altHooks: [
      "A faded Emberroast sign creaks above the tavern door.",
      "The air smells of Emberroast and rain.",
    ],
    product: "Emberroast Dark",
  },
  {
    type: "product_mention",
    hook: '"Nothing keeps a night watch awake like Emberroast," the guard says.',
    altHooks: [],
    product: "Emberroast Night Watch",
  },
];

export interface Demo {
  accountId: string;
  /** The demo key: the same for the same secret. */
  key: string;
  gameId: string;
}

/**
 * Makes sure that the demo is there: an account with a key, a company with a balance, an active campaign with creatives
 * and a placement. What is there already stays as it is. Run it before management starts, which publishes it.
 * @param secret of this installation, at least 32 characters: the key is derived from it, only its SHA-256 is stored.
 */
export async function createDemo(database: Database, secret: string, nowMs: number): Promise<Demo> {
  const key = derivedKeyText(secret, "demo key");
  return inTransaction(database, async (transaction) => {
    // Two processes that start at once must not both create it.
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('demo data', 0))`;
    const accountId = await demoAccount(transaction, key);
    const advertiser = await demoAdvertiser(transaction, accountId, nowMs);
    if ((await transaction.campaign.count({ where: { advertiserId: advertiser.id } })) === 0) {
      await createCampaign(transaction, advertiser, nowMs);
    }
    if ((await findPlacement(transaction, DEMO_GAME_ID)) === undefined) {
      const owner = { gameId: DEMO_GAME_ID, accountId, creatorId: "demo-studio" };
      const types: CreativeType[] = [
        "narrative_hook",
        "product_mention",
        "location_brand",
        "character_reference",
      ];
      const settings = enabledSettings({ creator_id: owner.creatorId, placement_types: types });
      await enablePlacement(transaction, owner, settings, nowMs);
    }
    return { accountId, key, gameId: DEMO_GAME_ID };
  });
}

async function demoAccount(transaction: Transaction, key: string): Promise<string> {
  const existing = await transaction.apiKey.findUnique({ where: { sha256: keySha256(key) } });
  if (existing !== null) return existing.accountId;
  const { accountId } = await insertAccountWithKey(transaction, { label: "Demo" }, key);
  return accountId;
}

async function demoAdvertiser(
  transaction: Transaction,
  accountId: string,
  nowMs: number,
): Promise<Advertiser> {
  const existing = await findAdvertiser(transaction, accountId);
  if (existing !== undefined) return existing;
  const profile = {
    company_name: "Emberroast Coffee",
    // Unique per account, so that a second installation's demo fits into the same database.
    contact_email: `demo+${accountId}@example.com`,
    website: "https://example.com/emberroast",
  };
  const advertiser = await insertAdvertiser(transaction, accountId, profile, nowMs);
  await addDeposit(transaction, advertiser, DEMO_DEPOSIT_CENTS, nowMs);
  return advertiser;
}

async function createCampaign(
  transaction: Transaction,
  advertiser: Advertiser,
  nowMs: number,
): Promise<void> {
  const settings = newCampaign({
    name: "Emberroast in every tavern",
    budget_cents: DEMO_DEPOSIT_CENTS / 2,
    cpm_bid_cents: 500,
  });
  const campaign = await insertCampaign(transaction, advertiser.id, settings, nowMs);
  for (const { type, hook, altHooks, product } of CREATIVES) {
    const creative = newCreative({
      creative_type: type,
      brand_name: "Emberroast",
      product_name: product,
      tagline: "Warm since the first fire.",
      narrative_hook: hook,
      alt_hooks: altHooks,
      max_uses_per_game: 20,
    });
    await insertCreative(transaction, campaign.id, type, creative, nowMs);
  }
  await updateStatus(transaction, campaign.id, "active", nowMs);
}
