import type { Affinity, Creative } from "@diegetic/ad-rules";
import type { Database } from "@diegetic/database";
import { listAffinities } from "../../core/campaign-rows/affinities.ts";
import { snapshotAffinity, snapshotCreative } from "../../core/publishing/entities.ts";
import { listCreatives } from "../creatives/store.ts";

/** A campaign's creatives as match instances know them, oldest first. */
export async function readCreatives(database: Database, campaignId: string): Promise<Creative[]> {
  return (await listCreatives(database, campaignId)).map(snapshotCreative);
}

/** A campaign's affinities as match instances know them, oldest first. */
export async function readAffinities(database: Database, campaignId: string): Promise<Affinity[]> {
  return (await listAffinities(database, campaignId)).map(snapshotAffinity);
}
