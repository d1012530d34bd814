import type { DatabaseSession } from "../database-session.ts";
import type { Advertiser, Campaign, World } from "../world.fixture.ts";

/** Name of the damage, how to cause it, how to undo it, and exactly the checks that must detect it. */
export type Plant = [string, () => Promise<unknown>, () => Promise<unknown>, string[]];

/** Where these detect something, other checks of the same wallet or campaign are not made, or allow a difference. */
const HIDING: readonly string[] = [
  "outbox_age",
  "published",
  "quarantined",
  "recovery_epoch",
  "row_impressions",
  "settlements",
  "wallet_present",
];

/** Groups of damage that can be caused together: no check has to detect two of a group. */
export function inGroups(plants: readonly Plant[]): Plant[][] {
  const groups: Plant[][] = [];
  for (const plant of plants) {
    const [, , , checks] = plant;
    const isApart = (group: Plant[]) =>
      !group.some(([, , , others]) =>
        others.some((check) => checks.includes(check) || HIDING.includes(check)),
      );
    const group = checks.some((check) => HIDING.includes(check)) ? undefined : groups.find(isApart);
    if (group === undefined) groups.push([plant]);
    else group.push(plant);
  }
  return groups;
}

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
