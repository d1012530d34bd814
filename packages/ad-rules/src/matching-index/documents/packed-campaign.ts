import type { Affinity, BlocklistRule, Campaign, Creative, GeoTarget } from "../../types/campaign.ts";

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

/** A campaign as JSON, without the field names of its lists: they would be a quarter of its bytes. */
export function packCampaign(campaign: Campaign): string {
  const packed: Record<string, unknown> = { ...campaign };
  for (const [list, names] of lists) {
    const parts: object[] = campaign[list];
    packed[list] = parts.map((part) => names.map((name) => part[name as keyof typeof part]));
  }
  return JSON.stringify(packed);
}

/** Reverses `packCampaign`. */
export function unpackCampaign(packed: string): Campaign {
  const campaign = JSON.parse(packed);
  for (const [list, names] of lists) {
    campaign[list] = campaign[list].map((values: unknown[]) => {
      const part: Record<string, unknown> = {};
      for (const [index, name] of names.entries()) part[name] = values[index];
      return part;
    });
  }
  return campaign;
}
