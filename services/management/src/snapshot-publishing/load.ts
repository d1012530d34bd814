import type { MemberRole } from "@diegetic/contracts";
import { type Database, dateOfDay, type Prisma, safeInteger, type Transaction } from "@diegetic/database";

/** From the oldest to the newest, as the snapshot lists them. */
const byAge = [{ createdAt: "asc" as const }, { id: "asc" as const }];

export type AdvertiserRow = Prisma.AdvertiserGetPayload<object>;
export type PlacementRow = Prisma.PlacementGetPayload<object>;
export type ApiKeyRow = Prisma.ApiKeyGetPayload<object>;
/** A session with the role of its user in the account; null: the user is no member any more. */
export type SessionRow = Prisma.AccountSessionGetPayload<object> & { role: MemberRole | null };
export type CampaignRow = Prisma.CampaignGetPayload<object> & {
  creatives: Prisma.CreativeGetPayload<object>[];
  geoTargets: Prisma.GeoTargetGetPayload<object>[];
  blocklistRules: Prisma.BlocklistRuleGetPayload<object>[];
  affinities: Prisma.AffinityGetPayload<object>[];
};

/** Locks campaigns against every other change and loads them whole, with what each has spent on the day (millicents). */
export async function lockCampaigns(
  transaction: Transaction,
  ids: readonly string[],
  day: string,
): Promise<{ campaign: CampaignRow; daySpentMillicents: number }[]> {
  const wanted = [...ids];
  await transaction.$queryRaw`
    SELECT id FROM campaigns WHERE id = ANY(${wanted}) ORDER BY id FOR NO KEY UPDATE`;
  const campaigns = await loadCampaigns(transaction, wanted);
  const spent = await transaction.campaignRollup.groupBy({
    by: ["campaignId"],
    where: { campaignId: { in: wanted }, day: dateOfDay(day) },
    _sum: { spentMillicents: true },
  });
  const spentById = new Map(spent.map((row) => [row.campaignId, row._sum.spentMillicents ?? 0n]));
  return campaigns.map((campaign) => ({
    campaign,
    daySpentMillicents: safeInteger(spentById.get(campaign.id) ?? 0n, "spent on the day"),
  }));
}

/**
 * Loads campaigns whole. Without a lock a campaign may come with parts that are newer than itself, never with older ones.
 */
export async function loadCampaigns(
  database: Transaction | Database,
  ids: readonly string[],
): Promise<CampaignRow[]> {
  const wanted = [...ids];
  // One query after the other: Prisma would send those of an include side by side, which one connection cannot do.
  const campaigns = await database.campaign.findMany({
    where: { id: { in: wanted } },
    orderBy: { id: "asc" },
  });
  const ofCampaigns = { where: { campaignId: { in: wanted } }, orderBy: byAge };
  const creatives = await database.creative.findMany({
    where: { ...ofCampaigns.where, deletedAt: null },
    orderBy: byAge,
  });
  const geoTargets = await database.geoTarget.findMany(ofCampaigns);
  const blocklistRules = await database.blocklistRule.findMany(ofCampaigns);
  const affinities = await database.affinity.findMany(ofCampaigns);
  const of = {
    creatives: byCampaign(creatives),
    geoTargets: byCampaign(geoTargets),
    blocklistRules: byCampaign(blocklistRules),
    affinities: byCampaign(affinities),
  };
  return campaigns.map((campaign) => ({
    ...campaign,
    creatives: of.creatives.get(campaign.id) ?? [],
    geoTargets: of.geoTargets.get(campaign.id) ?? [],
    blocklistRules: of.blocklistRules.get(campaign.id) ?? [],
    affinities: of.affinities.get(campaign.id) ?? [],
  }));
}

function byCampaign<Row extends { campaignId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.campaignId);
    if (group === undefined) groups.set(row.campaignId, [row]);
    else group.push(row);
  }
  return groups;
}

/** Loads sessions with the present roles of their users. */
export async function loadSessions(database: Database, ids: readonly string[]): Promise<SessionRow[]> {
  const rows = await database.accountSession.findMany({ where: { id: { in: [...ids] } } });
  const members = await database.accountMember.findMany({
    where: { OR: rows.map(({ accountId, userId }) => ({ accountId, userId })) },
  });
  const roles = new Map(members.map(({ accountId, userId, role }) => [`${accountId} ${userId}`, role]));
  return rows.map((row) => ({ ...row, role: roles.get(`${row.accountId} ${row.userId}`) ?? null }));
}

/** What the snapshot is made of, and the table and key column of each. */
export const PUBLISHED_KINDS = ["advertiser", "campaign", "placement", "apiKey", "session"] as const;
export type PublishedKind = (typeof PUBLISHED_KINDS)[number];

/** Identifiers of rows that a crash or an absent Redis left unpublished, at most `limit`. */
export async function unpublished(database: Database, kind: PublishedKind, limit: number): Promise<string[]> {
  // Column against column, so that the partial indexes on it are used.
  const rows = await {
    advertiser: () => database.$queryRaw<{ id: string }[]>`
      SELECT id FROM advertisers WHERE published_version < version ORDER BY id LIMIT ${limit}`,
    campaign: () => database.$queryRaw<{ id: string }[]>`
      SELECT id FROM campaigns WHERE published_version < version ORDER BY id LIMIT ${limit}`,
    placement: () => database.$queryRaw<{ id: string }[]>`
      SELECT game_id AS id FROM placements WHERE published_version < version ORDER BY game_id LIMIT ${limit}`,
    apiKey: () => database.$queryRaw<{ id: string }[]>`
      SELECT id FROM api_keys WHERE published_version < version ORDER BY id LIMIT ${limit}`,
    session: () => database.$queryRaw<{ id: string }[]>`
      SELECT id FROM account_sessions WHERE published_version < version ORDER BY id LIMIT ${limit}`,
  }[kind]();
  return rows.map((row) => row.id);
}

/** The next identifiers after `after`, in their order, at most `limit`. */
export async function page(
  database: Database,
  kind: PublishedKind,
  after: string,
  limit: number,
): Promise<string[]> {
  const next = {
    where: { id: { gt: after } },
    select: { id: true },
    orderBy: { id: "asc" },
    take: limit,
  } as const;
  const rows = await {
    advertiser: () => database.advertiser.findMany(next),
    campaign: () => database.campaign.findMany(next),
    apiKey: () => database.apiKey.findMany(next),
    session: () => database.accountSession.findMany(next),
    placement: async () => {
      const games = await database.placement.findMany({
        where: { gameId: { gt: after } },
        select: { gameId: true },
        orderBy: { gameId: "asc" },
        take: limit,
      });
      return games.map(({ gameId }) => ({ id: gameId }));
    },
  }[kind]();
  return rows.map((row) => row.id);
}

/** Notes which version of each row is known to be published; never goes back. */
export async function markPublished(
  database: Database,
  kind: PublishedKind,
  rows: readonly { id: string; version: number }[],
): Promise<void> {
  const ids = rows.map((row) => row.id);
  const versions = rows.map((row) => row.version);
  await {
    advertiser: () => database.$executeRaw`
      UPDATE advertisers SET published_version = done.version
      FROM unnest(${ids}::text[], ${versions}::int[]) AS done (id, version)
      WHERE advertisers.id = done.id AND advertisers.published_version < done.version`,
    campaign: () => database.$executeRaw`
      UPDATE campaigns SET published_version = done.version
      FROM unnest(${ids}::text[], ${versions}::int[]) AS done (id, version)
      WHERE campaigns.id = done.id AND campaigns.published_version < done.version`,
    placement: () => database.$executeRaw`
      UPDATE placements SET published_version = done.version
      FROM unnest(${ids}::text[], ${versions}::int[]) AS done (id, version)
      WHERE placements.game_id = done.id AND placements.published_version < done.version`,
    apiKey: () => database.$executeRaw`
      UPDATE api_keys SET published_version = done.version
      FROM unnest(${ids}::text[], ${versions}::int[]) AS done (id, version)
      WHERE api_keys.id = done.id AND api_keys.published_version < done.version`,
    session: () => database.$executeRaw`
      UPDATE account_sessions SET published_version = done.version
      FROM unnest(${ids}::text[], ${versions}::int[]) AS done (id, version)
      WHERE account_sessions.id = done.id AND account_sessions.published_version < done.version`,
  }[kind]();
}
