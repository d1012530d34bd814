import type { DatabaseSession } from "../database-session.ts";
import type { Advertiser, Campaign, World } from "../world.fixture.ts";

/** What is damaged, how, how that is undone, and the checks that must notice it, no others. */
export type Plant = [string, () => Promise<unknown>, () => Promise<unknown>, string[]];

/** Whose books are damaged. */
export interface Ground {
  world: World;
  sql: DatabaseSession;
  advertiser: Advertiser;
  campaign: Campaign;
  other: Campaign;
}

/** A key of an advertiser's slot. */
export function slotKey({ advertiserId }: { advertiserId: string }, name: string): string {
  return `{${advertiserId}}:${name}`;
}
