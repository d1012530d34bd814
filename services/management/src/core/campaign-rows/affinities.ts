import { AFFINITY_WEIGHT, type AffinityCreate, type AffinityType, newId } from "@diegetic/contracts";
import { type Database, Prisma } from "@diegetic/database";
import { type Paging, rowsOfPage } from "../shared/paging.ts";
import type { PartOwner } from "./campaign.ts";

export interface Affinity {
  id: string;
  campaignId: string;
  affinityType: AffinityType;
  affinityValue: string;
  weight: number;
  /** The campaign version that introduces the affinity. */
  sinceVersion: number;
  createdAt: Date;
}

export function newAffinity(owner: PartOwner, request: AffinityCreate, nowMs: number): Affinity {
  return {
    id: newId("aff", nowMs),
    campaignId: owner.id,
    sinceVersion: owner.nextVersion,
    affinityType: request.affinity_type,
    affinityValue: request.affinity_value,
    weight: request.weight ?? AFFINITY_WEIGHT.default,
    createdAt: new Date(nowMs),
  };
}

export function listAffinities(database: Database, campaignId: string, paging?: Paging): Promise<Affinity[]> {
  return database.affinity.findMany(rowsOfPage({ campaignId }, paging));
}

export function deleteAffinitiesOf(campaignId: string): Prisma.Sql {
  return Prisma.sql`DELETE FROM affinities WHERE campaign_id = ${campaignId}`;
}
