import type { Client } from "./client.ts";

/** The participants of a run and their accounts. */
export interface Market {
  developer: Client;
  games: Game[];
  advertisers: Advertiser[];
  campaigns: Campaign[];
}

export interface Game {
  gameId: string;
  maxAdsPerSession: number;
}

export interface Advertiser {
  advertiserId: string;
  client: Client;
}

export interface Campaign {
  campaignId: string;
  advertiser: Advertiser;
  /** Only requests of this category match it. */
  category: string;
  maxUsesPerGame: number;
}
