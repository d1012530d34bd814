import { arrayOfTexts, type Transaction } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { nameOf } from "./name-of.ts";

/** What players are counted by. */
type Dimension = "campaign" | "day" | "creative" | "country";

interface Reach {
  campaignId: string;
  userHash: string;
  day: string;
  creativeId: string;
  countryCode: string;
}

/** Which dimensions of a reach know its player already; `whole`: the very same row is there. */
interface Known {
  place: number;
  day: boolean;
  creative: boolean;
  country: boolean;
  whole: boolean;
}

/** How many players each member of a campaign has got that it did not know. */
export class NewUsers {
  readonly #counts = new Map<string, number>();
  readonly #counted = new Set<string>();

  /** Counts a player once for each member. */
  add(dimension: Dimension, { campaignId, userHash }: Reach, key: string): void {
    const member = nameOf([dimension, campaignId, key]);
    const player = member + userHash;
    if (this.#counted.has(player)) return;
    this.#counted.add(player);
    this.#counts.set(member, (this.#counts.get(member) ?? 0) + 1);
  }

  /** @param key the day (YYYY-MM-DD), creative id or country code; of the campaign as a whole: empty */
  count(dimension: Dimension, campaignId: string, key: string): number {
    return this.#counts.get(nameOf([dimension, campaignId, key])) ?? 0;
  }
}

/**
 * Remembers who was reached, and counts those who were not known. Exact as long as the rows of the campaigns' advertisers
 * are locked: then nobody else remembers players of these campaigns.
 */
export async function rememberUsers(
  transaction: Transaction,
  impressions: readonly BilledImpression[],
): Promise<NewUsers> {
  const reached = distinct(impressions);
  const known = new Map((await findKnown(transaction, reached)).map((row) => [row.place, row]));
  const newUsers = new NewUsers();
  reached.forEach((reach, place) => {
    const before = known.get(place + 1);
    if (before === undefined) newUsers.add("campaign", reach, "");
    if (before?.day !== true) newUsers.add("day", reach, reach.day);
    if (before?.creative !== true) newUsers.add("creative", reach, reach.creativeId);
    if (before?.country !== true) newUsers.add("country", reach, reach.countryCode);
  });
  await insert(
    transaction,
    reached.filter((_, place) => known.get(place + 1)?.whole !== true),
  );
  return newUsers;
}

/** In the order of the rows' keys. */
function distinct(impressions: readonly BilledImpression[]): Reach[] {
  const reached = new Map<string, Reach>();
  for (const { record, day } of impressions) {
    const reach = {
      campaignId: record.match.campaign_id,
      userHash: record.match.user_hash,
      day,
      creativeId: record.creative_id,
      countryCode: record.match.country_code ?? "",
    };
    reached.set(nameOf(Object.values(reach)), reach);
  }
  return [...reached].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reach]) => reach);
}

/** One look into the index for each: a player has few rows in a campaign. */
function findKnown(transaction: Transaction, reached: readonly Reach[]): Promise<Known[]> {
  return transaction.$queryRaw<Known[]>`
    SELECT r.place::int AS place, known.day, known.creative, known.country, known.whole
    FROM unnest(${texts(reached, "campaignId")}::text[], ${texts(reached, "userHash")}::text[],
      ${texts(reached, "day")}::date[], ${texts(reached, "creativeId")}::text[],
      ${texts(reached, "countryCode")}::text[])
      WITH ORDINALITY AS r(campaign_id, user_hash, day, creative_id, country_code, place)
    CROSS JOIN LATERAL (
      SELECT bool_or(k.day = r.day) AS day, bool_or(k.creative_id = r.creative_id) AS creative,
        bool_or(k.country_code = r.country_code) AS country,
        bool_or(k.day = r.day AND k.creative_id = r.creative_id AND k.country_code = r.country_code) AS whole
      FROM reached_users k WHERE k.campaign_id = r.campaign_id AND k.user_hash = r.user_hash) AS known
    WHERE known.whole IS NOT NULL`;
}

async function insert(transaction: Transaction, reached: readonly Reach[]): Promise<void> {
  if (reached.length === 0) return;
  await transaction.$executeRaw`
    INSERT INTO reached_users (campaign_id, user_hash, day, creative_id, country_code)
    SELECT * FROM unnest(${texts(reached, "campaignId")}::text[], ${texts(reached, "userHash")}::text[],
      ${texts(reached, "day")}::date[], ${texts(reached, "creativeId")}::text[],
      ${texts(reached, "countryCode")}::text[])`;
}

function texts(reached: readonly Reach[], field: keyof Reach): string {
  return arrayOfTexts(reached.map((reach) => reach[field]));
}
