import {
  accountTooLarge,
  type CampaignBulkBody,
  campaignTooLarge,
  creativeCreate,
  HttpError,
  InvalidInput,
  MAX_ACCOUNT_BYTES,
  MAX_CAMPAIGN_BYTES,
  MAX_CAMPAIGNS,
  tooManyCampaigns,
  type WholeCampaignCreate,
  wholeCampaignCreate,
} from "@diegetic/contracts";
import { Prisma, type Statements } from "@diegetic/database";
import { newAffinity } from "../../core/campaign-rows/affinities.ts";
import { newBlocklistRule, readBlocklistRule } from "../../core/campaign-rows/blocklist-rule.ts";
import { requireTextFits, settingsOfNewCreative } from "../../core/campaign-rows/creative.ts";
import {
  type GeoTarget,
  newGeoTarget,
  placeKey,
  readGeoTarget,
} from "../../core/campaign-rows/geo-target.ts";
import type { WholeCampaign } from "../../core/campaign-rows/statements.ts";
import { campaignBytes } from "../../core/campaigns/published-size.ts";
import { readAffinities } from "../affinities/affinity-values.ts";
import { newCreative } from "../creatives/store.ts";
import { countCampaigns, insertCampaigns, newCampaign } from "./new-campaigns.ts";
import { requireActivatable, settingsOfNewCampaign } from "./rules.ts";
import { toCampaignResponse } from "./to-response.ts";

/** One campaign of a bulk request as it would be stored, or why it is not created. */
export type BulkItem = { campaign: WholeCampaign } | { refusal: { status: number; error: string } };

/** Whether a campaign of a bulk request is to be active at once. */
export function isToBeActive(sent: unknown): boolean {
  return isJsonObject(sent) && sent.activate === true;
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads one campaign of a bulk request, by the rules of the calls for single ones. */
export function readBulkItem(sent: unknown, advertiserId: string, nowMs: number): BulkItem {
  return orRefusal(() => {
    if (!isJsonObject(sent)) throw new InvalidInput(400, "The campaign must be a JSON object.");
    return { campaign: wholeCampaign(wholeCampaignCreate(sent), advertiserId, nowMs) };
  });
}

function orRefusal(work: () => BulkItem): BulkItem {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { refusal: { status: error.status, error: error.message } };
  }
}

function wholeCampaign(request: WholeCampaignCreate, advertiserId: string, nowMs: number): WholeCampaign {
  const draft = newCampaign(advertiserId, settingsOfNewCampaign(request), nowMs);
  const owner = { id: draft.id, nextVersion: draft.version };
  const creatives = each("creatives", request.creatives, (one) => {
    const value = creativeCreate(one);
    const settings = settingsOfNewCreative(value);
    requireTextFits(settings);
    return newCreative(draft.id, value.creative_type, settings, nowMs);
  });
  const geoTargets = each("geo_targets", request.geo_targets, (one) =>
    newGeoTarget(owner, readGeoTarget(one), nowMs),
  );
  requireNoContradictions(geoTargets);
  const blocklistRules = each("blocklist", request.blocklist, (one) =>
    newBlocklistRule(owner, readBlocklistRule(one), nowMs),
  );
  const { affinities } = readAffinities({ affinities: request.affinities ?? [] });
  return {
    ...draft,
    status: request.activate ? "active" : "draft",
    creatives,
    geoTargets,
    blocklistRules,
    affinities: affinities.map((one) => newAffinity(owner, one, nowMs)),
  };
}

/** What the reading of an entry refuses names the entry, too. */
function each<Sent, Part>(name: string, list: readonly Sent[] = [], read: (one: Sent) => Part): Part[] {
  return list.map((one, index) => {
    try {
      return read(one);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      throw new InvalidInput(error.status, `${name}[${index}]: ${error.message}`);
    }
  });
}

/** Throws 422 when one place is included and excluded (docs/behaviour.md#rule-4-geo). */
function requireNoContradictions(targets: readonly GeoTarget[]): void {
  const included = new Map<string, number>();
  const excluded = new Map<string, number>();
  for (const [index, target] of targets.entries()) {
    const key = placeKey(target);
    const [same, opposite] = target.include ? [included, excluded] : [excluded, included];
    const first = opposite.get(key);
    if (first !== undefined) {
      const has = target.include ? "excludes" : "includes";
      throw new InvalidInput(
        422,
        `geo_targets[${index}]: include must not be ${target.include}: geo_targets[${first}] ${has} the same place`,
      );
    }
    if (!same.has(key)) same.set(key, index);
  }
}

/**
 * Stores the campaigns that the limits of their advertiser have room for, earlier ones first; active ones only if they could be
 * activated. Locks the advertiser and the account until the end of the transaction.
 */
export async function storeBulk(
  statements: Statements,
  owner: { advertiserId: string; accountId: string },
  items: readonly BulkItem[],
): Promise<CampaignBulkBody> {
  let existing = await countCampaigns(statements, owner.advertiserId);
  const [account] = await statements.query<{ bytes: bigint; balance: bigint }>(Prisma.sql`
    SELECT published_bytes AS bytes, deposited_millicents - spent_millicents AS balance
    FROM accounts JOIN advertisers ON advertisers.account_id = accounts.id
    WHERE accounts.id = ${owner.accountId} FOR NO KEY UPDATE OF accounts`);
  const balanceMillicents = Number(account?.balance ?? 0);
  let bytes = Number(account?.bytes ?? 0);
  const before = bytes;
  const stored: WholeCampaign[] = [];
  const decide = (item: BulkItem): BulkItem => {
    if ("refusal" in item) return item;
    const publishedBytes = campaignBytes(item.campaign);
    return orRefusal(() => {
      if (existing >= MAX_CAMPAIGNS) throw tooManyCampaigns.error();
      if (publishedBytes > MAX_CAMPAIGN_BYTES) throw campaignTooLarge.error();
      if (bytes + publishedBytes > MAX_ACCOUNT_BYTES) throw accountTooLarge.error();
      const { cpmBidCents, creatives, status } = item.campaign;
      if (status === "active") {
        requireActivatable({ status: "draft", cpmBidCents }, creatives.length, balanceMillicents);
      }
      existing += 1;
      bytes += publishedBytes;
      const campaign = { ...item.campaign, publishedBytes };
      stored.push(campaign);
      return { campaign };
    });
  };
  const decided = items.map(decide);
  if (stored.length > 0) {
    void statements.execute(Prisma.sql`
      UPDATE accounts SET published_bytes = published_bytes + ${bytes - before} WHERE id = ${owner.accountId}`);
    insertCampaigns(statements, stored);
  }
  return {
    results: decided.map((item) =>
      "refusal" in item ? item.refusal : { status: 201, campaign: toCampaignResponse(item.campaign) },
    ),
  };
}
