import type { Affinity, BlocklistRule, Campaign, Creative, GeoTarget } from "../../types/campaign.ts";

/** Separates the two parts of a packed campaign; JSON on one line never contains it. */
export const partSeparator = "\n";

export interface CampaignIds {
  advertiserId: string;
  /** Oldest first. */
  creativeIds: readonly string[];
}

/** The fields of each list of a campaign: a packed list has only their values. */
const listFields = {
  creatives: namesOf<Creative>({
    creative_id: true,
    creative_type: true,
    brand_name: true,
    product_name: true,
    tagline: true,
    narrative_hook: true,
    alt_hooks: true,
    tone: true,
    max_uses_per_game: true,
  }),
  geo_targets: namesOf<GeoTarget>({
    geo_target_id: true,
    target_type: true,
    country_code: true,
    state_code: true,
    city_name: true,
    lat: true,
    lng: true,
    radius_km: true,
    include: true,
  }),
  blocklist: namesOf<BlocklistRule>({ rule_type: true, value: true }),
  affinities: namesOf<Affinity>({
    affinity_id: true,
    affinity_type: true,
    affinity_value: true,
    weight: true,
  }),
};
const lists = Object.entries(listFields) as [keyof typeof listFields, string[]][];

function namesOf<Part>(fields: Record<keyof Part, true>): string[] {
  return Object.keys(fields);
}

/** Packs a campaign as JSON: its ids, which can be read without the rest, `partSeparator`, and the whole campaign. */
export function packCampaign(campaign: Campaign): string {
  const ids = [campaign.advertiser_id, ...campaign.creatives.map((one) => one.creative_id)];
  const packed: Record<string, unknown> = { ...campaign };
  for (const [list, names] of lists) {
    const parts: object[] = campaign[list];
    packed[list] = parts.map((part) => names.map((name) => part[name as keyof typeof part]));
  }
  return JSON.stringify(ids) + partSeparator + JSON.stringify(packed);
}

/** @param json the first part of a packed campaign */
export function unpackIds(json: string): CampaignIds {
  const [advertiserId = "", ...creativeIds] = JSON.parse(json) as string[];
  return { advertiserId, creativeIds };
}

/** Reverses `packCampaign`. */
export function unpackCampaign(packed: string): Campaign {
  const campaign = JSON.parse(packed.slice(packed.indexOf(partSeparator)));
  for (const [list, names] of lists) {
    campaign[list] = campaign[list].map((values: unknown[]) => {
      const part: Record<string, unknown> = {};
      for (const [index, name] of names.entries()) part[name] = values[index];
      return part;
    });
  }
  return campaign;
}
