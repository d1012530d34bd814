import { expect } from "@jest/globals";
import type { CampaignWish, World } from "./world.fixture.ts";

/** A match of a new campaign in a new game, without an impression so far. */
export async function matched(world: World, wish: CampaignWish = {}, on: { instance?: number } = {}) {
  const game = await world.addGame();
  const campaign = await world.addCampaign(wish);
  const { body, status } = await world.match(game, {}, on);
  expect(status).toBe(200);
  return { game, campaign, match: body };
}

/** Spent and held amounts of a campaign, in millicents. */
export async function spentAndHeld(world: World, campaign: { advertiser_id: string; campaign_id: string }) {
  const totals = await world.money.readCampaign(campaign.advertiser_id, campaign.campaign_id);
  return [totals?.spentMillicents, totals?.heldMillicents];
}
