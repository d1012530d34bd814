import type { Affinity, Creative } from "@diegetic/ad-rules";
import type { Database } from "@diegetic/database";
import { listAffinities } from "../affinities/store.ts";
import { listCreatives } from "../creatives/store.ts";
import { snapshotAffinity, snapshotCreative } from "../snapshot-publishing/entities.ts";

/** A campaign's creatives as match instances know them, oldest first. */
export async function readCreatives(database: Database, campaignId: string): Promise<Creative[]> {
  return (await listCreatives(database, campaignId)).map(snapshotCreative);
}

/** A campaign's affinities as match instances know them, oldest first. */
export async function readAffinities(database: Database, campaignId: string): Promise<Affinity[]> {
  return (await listAffinities(database, campaignId)).map(snapshotAffinity);
}
