import type { Campaign } from "../types/campaign.ts";
import { type CompiledCampaign, compileCampaign } from "./compiled-campaign.ts";

/** Beyond so many changes in a row, sorting once at the next look costs less than keeping the order at each change. */
const changesKeptInOrder = 32;

/**
 * The campaigns of an instance, kept for matching: the active ones compiled and in the order of the highest rank that
 * they can reach. A campaign that is put in must not be changed afterwards; put in a new one instead.
 */
export class CampaignIndex {
  readonly #campaigns = new Map<string, Campaign>();
  readonly #active = new Map<string, CompiledCampaign>();
  /** The values of #active in order; `null` while it has to be sorted anew. */
  #ordered: CompiledCampaign[] | null = [];
  #changesSinceLook = 0;

  /** Campaigns in any status. */
  get size(): number {
    return this.#campaigns.size;
  }

  /** Campaigns whose status is active, whatever their dates. */
  get activeCount(): number {
    return this.#active.size;
  }

  /** The campaign as it was put in. */
  get(campaignId: string): Campaign | undefined {
    return this.#campaigns.get(campaignId);
  }

  /** Puts a campaign in; it replaces the one with the same id, whatever their versions. */
  upsert(campaign: Campaign): void {
    this.remove(campaign.campaign_id);
    this.#campaigns.set(campaign.campaign_id, campaign);
    if (campaign.status !== "active") return;
    const compiled = compileCampaign(campaign);
    this.#active.set(campaign.campaign_id, compiled);
    this.#ordered?.splice(placeIn(this.#ordered, compiled), 0, compiled);
  }

  /** Takes a campaign out; unknown ids are ignored. */
  remove(campaignId: string): void {
    this.#campaigns.delete(campaignId);
    const compiled = this.#active.get(campaignId);
    this.#active.delete(campaignId);
    this.#changesSinceLook += 1;
    if (this.#changesSinceLook > changesKeptInOrder) this.#ordered = null;
    if (compiled !== undefined) this.#ordered?.splice(placeIn(this.#ordered, compiled), 1);
  }

  /** The active campaigns, those first that can reach the highest rank. */
  byReach(): readonly CompiledCampaign[] {
    this.#changesSinceLook = 0;
    this.#ordered ??= [...this.#active.values()].sort(byReach);
    return this.#ordered;
  }
}

function byReach(left: CompiledCampaign, right: CompiledCampaign): number {
  if (left.highestRank !== right.highestRank) return right.highestRank - left.highestRank;
  return left.source.campaign_id < right.source.campaign_id ? -1 : 1;
}

/** Where the campaign stands in the sorted list, or would stand. */
function placeIn(ordered: readonly CompiledCampaign[], campaign: CompiledCampaign): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = ordered[middle];
    if (other !== undefined && other !== campaign && byReach(other, campaign) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
