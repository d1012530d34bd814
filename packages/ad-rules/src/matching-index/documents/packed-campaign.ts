import type {
  AffinityType,
  BlocklistRule,
  Campaign,
  CampaignStatus,
  Creative,
  CreativeType,
  GeoTarget,
  Tone,
} from "../../types/campaign.ts";

const statuses: readonly CampaignStatus[] = ["draft", "active", "paused"];
const tones: readonly Tone[] = ["neutral", "positive", "humorous", "dramatic"];
/** All values; a packed campaign stores their indexes. */
export const creativeTypes: readonly CreativeType[] = [
  "narrative_hook",
  "product_mention",
  "location_brand",
  "character_reference",
];
/** All values; a packed campaign stores their indexes. */
export const affinityTypes: readonly AffinityType[] = [
  "action",
  "location",
  "theme",
  "mood",
  "category",
  "lighting",
  "effects",
  "camera",
];

/** The index of a word in its list; a word that is not in the list is stored as it is. */
type Code<Word extends string> = Word | number;

type PackedCreative = [
  type: Code<CreativeType>,
  brandName: string,
  productName: string | null,
  tagline: string | null,
  narrativeHook: string | null,
  altHooks: string[],
  tone: Code<Tone>,
  maxUsesPerGame: number,
];
type PackedAffinity = [id: string, type: Code<AffinityType>, value: string, weight: number];
type PackedGeoTarget = [
  id: string,
  type: GeoTarget["target_type"],
  include: boolean,
  country: string | null,
  state: string | null,
  city: string | null,
  lat: number | null,
  lng: number | null,
  radiusKm: number | null,
];
type PackedBlocklistRule = [type: BlocklistRule["rule_type"], value: string];
/** The part that can be read without the rest. */
type PackedIds = [advertiserId: string, ...creativeIds: string[]];
type PackedCampaign = [
  id: string,
  version: number,
  status: Code<CampaignStatus>,
  bidCents: number,
  priority: number,
  startDate: string | null,
  endDate: string | null,
  creatives: PackedCreative[],
  affinities: PackedAffinity[],
  targetCategories: string[],
  targetTags: string[],
  geoTargets: PackedGeoTarget[],
  blocklist: PackedBlocklistRule[],
];

/** Separates the two parts of a packed campaign; JSON on one line never contains it. */
export const partSeparator = "\n";

export interface CampaignIds {
  advertiserId: string;
  /** Oldest first. */
  creativeIds: readonly string[];
}

/**
 * Packs a campaign as JSON arrays: its ids, then everything else, separated by `partSeparator`. Field names would double
 * the size.
 */
export function packCampaign(campaign: Campaign): string {
  const packed: PackedCampaign = [
    campaign.campaign_id,
    campaign.version,
    codeOf(statuses, campaign.status),
    campaign.cpm_bid_cents,
    campaign.priority,
    campaign.start_date,
    campaign.end_date,
    campaign.creatives.map(packCreative),
    campaign.affinities.map((one) => [
      one.affinity_id,
      codeOf(affinityTypes, one.affinity_type),
      one.affinity_value,
      one.weight,
    ]),
    campaign.target_categories,
    campaign.target_tags,
    campaign.geo_targets.map(packGeoTarget),
    campaign.blocklist.map((one) => [one.rule_type, one.value]),
  ];
  const ids: PackedIds = [campaign.advertiser_id, ...campaign.creatives.map((one) => one.creative_id)];
  return JSON.stringify(ids) + partSeparator + JSON.stringify(packed);
}

/** @param json the first part of a packed campaign */
export function unpackIds(json: string): CampaignIds {
  const [advertiserId, ...creativeIds] = JSON.parse(json) as PackedIds;
  return { advertiserId, creativeIds };
}

/** Reverses `packCampaign`. */
export function unpackCampaign(packed: string): Campaign {
  const end = packed.indexOf(partSeparator);
  const { advertiserId, creativeIds } = unpackIds(packed.slice(0, end));
  const [
    campaign_id,
    version,
    status,
    cpm_bid_cents,
    priority,
    start_date,
    end_date,
    creatives,
    affinities,
    target_categories,
    target_tags,
    geoTargets,
    blocklist,
  ] = JSON.parse(packed.slice(end)) as PackedCampaign;
  return {
    campaign_id,
    advertiser_id: advertiserId,
    version,
    status: wordOf(statuses, status),
    cpm_bid_cents,
    priority,
    start_date,
    end_date,
    target_categories,
    target_tags,
    creatives: creatives.map((one, index) => unpackCreative(creativeIds[index] ?? "", one)),
    geo_targets: geoTargets.map(unpackGeoTarget),
    blocklist: blocklist.map(([rule_type, value]) => ({ rule_type, value })),
    affinities: affinities.map(([affinity_id, type, affinity_value, weight]) => ({
      affinity_id,
      affinity_type: wordOf(affinityTypes, type),
      affinity_value,
      weight,
    })),
  };
}

function packCreative(creative: Creative): PackedCreative {
  return [
    codeOf(creativeTypes, creative.creative_type),
    creative.brand_name,
    creative.product_name,
    creative.tagline,
    creative.narrative_hook,
    creative.alt_hooks,
    codeOf(tones, creative.tone),
    creative.max_uses_per_game,
  ];
}

function unpackCreative(creative_id: string, packed: PackedCreative): Creative {
  const [type, brand_name, product_name, tagline, narrative_hook, alt_hooks, tone, maxUses] = packed;
  return {
    creative_id,
    creative_type: wordOf(creativeTypes, type),
    brand_name,
    product_name,
    tagline,
    narrative_hook,
    alt_hooks,
    tone: wordOf(tones, tone),
    max_uses_per_game: maxUses,
  };
}

function packGeoTarget(target: GeoTarget): PackedGeoTarget {
  return [
    target.geo_target_id,
    target.target_type,
    target.include,
    target.country_code,
    target.state_code,
    target.city_name,
    target.lat,
    target.lng,
    target.radius_km,
  ];
}

function unpackGeoTarget(packed: PackedGeoTarget): GeoTarget {
  const [geo_target_id, target_type, include, country_code, state_code, city_name, lat, lng, radius_km] =
    packed;
  return {
    geo_target_id,
    target_type,
    country_code,
    state_code,
    city_name,
    lat,
    lng,
    radius_km,
    include,
  };
}

function codeOf<Word extends string>(words: readonly Word[], word: Word): Code<Word> {
  const index = words.indexOf(word);
  return index < 0 ? word : index;
}

function wordOf<Word extends string>(words: readonly Word[], code: Code<Word>): Word {
  if (typeof code === "string") return code;
  const word = words[code];
  if (word === undefined) throw new RangeError(`no word ${code}`);
  return word;
}
