import { newId, type ProfilePatch, type RegisterRequest } from "@diegetic/contracts";
import { type Database, type Prisma, safeInteger, type Transaction } from "@diegetic/database";
import type { Millicents } from "@diegetic/money";
import { sentFields } from "../shared/patch.ts";

export interface Advertiser {
  id: string;
  accountId: string;
  companyName: string;
  contactEmail: string;
  website: string | null;
  depositedMillicents: Millicents;
  spentMillicents: Millicents;
  impressions: number;
  createdAt: Date;
}

type Client = Database | Transaction;

function fromRow(row: Prisma.AdvertiserGetPayload<object>): Advertiser {
  return {
    ...row,
    depositedMillicents: safeInteger(row.depositedMillicents, "deposited"),
    spentMillicents: safeInteger(row.spentMillicents, "spent"),
    impressions: safeInteger(row.impressions, "impressions"),
  };
}

/** The advertiser profile of an account; undefined before it has registered. */
export async function findAdvertiser(client: Client, accountId: string): Promise<Advertiser | undefined> {
  const row = await client.advertiser.findUnique({ where: { accountId } });
  return row === null ? undefined : fromRow(row);
}

/** Throws UniqueViolation when the account already has a profile, or another advertiser has the address. */
export async function insertAdvertiser(
  transaction: Transaction,
  accountId: string,
  request: RegisterRequest,
  nowMs: number,
): Promise<Advertiser> {
  const row = await transaction.advertiser.create({
    data: {
      id: newId("adv", nowMs),
      accountId,
      companyName: request.company_name,
      contactEmail: request.contact_email,
      contactEmailLower: request.contact_email.toLowerCase(),
      website: request.website ?? null,
      createdAt: new Date(nowMs),
    },
  });
  return fromRow(row);
}

/** Throws UniqueViolation when the address belongs to another advertiser. */
export async function updateAdvertiser(
  database: Database,
  advertiserId: string,
  patch: ProfilePatch,
): Promise<Advertiser> {
  const data = sentFields({
    companyName: patch.company_name,
    contactEmail: patch.contact_email,
    contactEmailLower: patch.contact_email?.toLowerCase(),
    website: patch.website,
  });
  return fromRow(await database.advertiser.update({ where: { id: advertiserId }, data }));
}
