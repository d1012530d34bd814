import type { DatabaseSession } from "../database-session.ts";
import type { Advertiser, Campaign, World } from "../world.fixture.ts";

/** What is damaged, how, how that is undone, and the checks that must notice it, no others. */
export type Plant = [string, () => Promise<unknown>, () => Promise<unknown>, string[]];

/** What notices a row of impressions that is there once more, whatever it is called. */
export const SEEN_OF_ANOTHER_ROW: readonly string[] = [
  "row_affinity_scores",
  "row_charges",
  "row_each_game_earnings",
  "row_each_game_impressions",
  "row_earnings",
  "row_game_impressions",
  "row_impressions",
  "whole_charges",
  "whole_earnings",
  "whole_impressions",
];

/** Whose books are damaged. */
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
