import type { DatabaseSession } from "../database-session.ts";
import type { Advertiser, Campaign, World } from "../world.fixture.ts";

/** Name of the damage, how to cause it, how to undo it, and exactly the checks that must detect it. */
export type Plant = [string, () => Promise<unknown>, () => Promise<unknown>, string[]];

/** The checks that detect an additional row of impressions. */
export const SEEN_OF_ANOTHER_ROW: readonly string[] = [
  "row_affinity_scores",
  "row_charges",
  "row_each_game_earnings",
  "row_each_game_impressions",
  "row_earnings",
  "row_game_advertiser_earnings",
  "row_game_advertiser_impressions",
  "row_game_impressions",
  "row_impressions",
  "whole_charges",
  "whole_earnings",
  "whole_impressions",
];

/** The advertisers and campaigns to damage. */
export interface Ground {
  world: World;
  sql: DatabaseSession;
  advertiser: Advertiser;
  campaign: Campaign;
  other: Campaign;
}

/** A key of an advertiser's wallet. */
export function walletKey({ advertiserId }: { advertiserId: string }, name: string): string {
  return `{${advertiserId}}:${name}`;
}
