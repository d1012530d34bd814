/** A campaign as the snapshot carries it, under the names that the rules use. Each list is ordered from oldest to newest. */
export type {
  AffinityType,
  BlocklistRuleType,
  CreativeType,
  SnapshotAffinity as Affinity,
  SnapshotBlocklistRule as BlocklistRule,
  SnapshotCampaign as Campaign,
  SnapshotCreative as Creative,
  SnapshotGeoTarget as GeoTarget,
} from "@diegetic/contracts";
