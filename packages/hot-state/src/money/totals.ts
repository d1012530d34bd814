import type { CampaignStatus } from "@diegetic/contracts";
import { requireAtMost } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { ReplyReader } from "../reply.ts";
import { ownTotals, type StoredTotals, sumCampaigns, sumTotals } from "./sliced-totals.ts";
import type { AccountTotals, CampaignTotals, MoneyCommands } from "./types.ts";
import { walletIds } from "./wallet-ids.ts";

const STATUSES: readonly CampaignStatus[] = ["draft", "active", "paused"];
const MAX_COUNTED_ADVERTISERS = 1_000;

const ACCOUNT_FIELDS = ["version", "deposited", "spent", "held", "impressions", "epoch"];
/** Only in a wallet that has other slices. */
const SLICED_FIELDS = ["sliced_spent", "sliced_held", "sliced_impressions"];
const CAMPAIGN_FIELDS = [
  "version",
  "status",
  "budget",
  "ceiling",
  "daily_cap",
  "spent",
  "held",
  "day",
  "day_spent",
  "impressions",
];

/**
 * The fields of a hash, or null if it does not exist. Throws if the hash lacks one of them.
 * @param optional fields that may be missing: empty texts
 */
async function readFields(
  redis: RedisConnection,
  key: string,
  fields: readonly string[],
  optional: readonly string[] = [],
): Promise<ReplyReader | null> {
  const values = await redis.hmget(key, ...fields, ...optional);
  if (values.every((value) => value === null)) return null;
  const known = values.map((value, index) => (index < fields.length ? value : (value ?? "")));
  return new ReplyReader(`hmget ${key}`, known);
}

type StoredAccount = AccountTotals & StoredTotals & { slices: number };
type StoredCampaign = CampaignTotals & StoredTotals;

async function readStoredAccount(redis: RedisConnection, walletId: string): Promise<StoredAccount | null> {
  const optional = ["slices", ...SLICED_FIELDS];
  const fields = await readFields(redis, walletKeys.account(walletId), ACCOUNT_FIELDS, optional);
  if (fields === null) return null;
  const at = ACCOUNT_FIELDS.length;
  return {
    ...readAccountTotals(fields),
    slices: fields.optionalInteger(at) ?? 1,
    ...readSliced(fields, at + 1),
  };
}

/** Reads the first fields of a reply, in the order of `ACCOUNT_FIELDS`. */
export function readAccountTotals(fields: ReplyReader): AccountTotals {
  return {
    version: fields.integer(0),
    depositedMillicents: fields.integer(1),
    spentMillicents: fields.integer(2),
    heldMillicents: fields.integer(3),
    impressions: fields.integer(4),
    epoch: fields.integer(5),
  };
}

async function readStoredCampaign(
  redis: RedisConnection,
  walletId: string,
  campaignId: string,
): Promise<StoredCampaign | null> {
  const key = walletKeys.campaign(walletId, campaignId);
  const fields = await readFields(redis, key, CAMPAIGN_FIELDS, SLICED_FIELDS);
  if (fields === null) return null;
  const totals = { ...readCampaignTotals(fields, 0), status: fields.code(1, STATUSES) };
  return { ...totals, ...readSliced(fields, CAMPAIGN_FIELDS.length) };
}

/** The fields from index `at` on, in the order of `SLICED_FIELDS`; empty if nothing is in other slices. */
export function readSliced(fields: ReplyReader, at: number): Pick<StoredTotals, "sliced"> {
  if (fields.text(at) === "") return {};
  return {
    sliced: {
      spentMillicents: fields.integer(at),
      heldMillicents: fields.integer(at + 1),
      impressions: fields.integer(at + 2),
    },
  };
}

/** Reads the fields from index `at` on, in the order of `CAMPAIGN_FIELDS`. */
export function readCampaignTotals(
  fields: ReplyReader,
  at: number,
): Omit<CampaignTotals, "status"> & { status: string } {
  return {
    version: fields.integer(at),
    status: fields.text(at + 1),
    budgetMillicents: fields.integer(at + 2),
    ceilingMillicents: fields.optionalInteger(at + 3),
    dailyCapMillicents: fields.optionalInteger(at + 4),
    spentMillicents: fields.integer(at + 5),
    heldMillicents: fields.integer(at + 6),
    day: fields.text(at + 7),
    daySpentMillicents: fields.integer(at + 8),
    impressions: fields.integer(at + 9),
  };
}

async function readAccount(redis: RedisConnection, advertiserId: string): Promise<AccountTotals | null> {
  const own = await readStoredAccount(redis, advertiserId);
  if (own === null) return null;
  const { sliced: _, slices, ...settings } = own;
  if (slices === 1) return settings;
  const others = await readSlices(advertiserId, slices, (walletId) => readStoredAccount(redis, walletId));
  // Others were not restored with it: it counts what is in them.
  return { ...settings, ...sumTotals([own, ...others.filter(({ epoch }) => epoch === own.epoch)]) };
}

async function readCampaign(
  redis: RedisConnection,
  advertiserId: string,
  campaignId: string,
): Promise<CampaignTotals | null> {
  const readEpoch = (walletId: string) => redis.hget(walletKeys.account(walletId), "epoch");
  const [own, [slices, epoch]] = await Promise.all([
    readStoredCampaign(redis, advertiserId, campaignId),
    redis.hmget(walletKeys.account(advertiserId), "slices", "epoch"),
  ]);
  if (own === null) return null;
  const others = await readSlices(advertiserId, Number(slices ?? 1), async (walletId) => {
    const isCurrent = (await readEpoch(walletId)) === epoch;
    return isCurrent ? readStoredCampaign(redis, walletId, campaignId) : null;
  });
  return sumCampaigns(own, others);
}

/** Reads the slices of a wallet that exist. */
async function readSlices<Totals>(
  advertiserId: string,
  slices: number,
  read: (walletId: string) => Promise<Totals | null>,
): Promise<Totals[]> {
  const totals = await Promise.all(walletIds(advertiserId, slices).slice(1).map(read));
  return totals.filter((one) => one !== null);
}

/** Commands that read the totals of wallets. */
export function createTotalsCommands(redis: RedisConnection) {
  return {
    readAccount: (advertiserId) => readAccount(redis, advertiserId),
    readCampaign: (advertiserId, campaignId) => readCampaign(redis, advertiserId, campaignId),
    async readOwnTotals(walletId, campaignId) {
      const campaign = await readStoredCampaign(redis, walletId, campaignId);
      if (campaign === null) return null;
      const own = ownTotals(campaign);
      const leftMillicents = Math.max(campaign.budgetMillicents - own.spentMillicents, 0);
      return { ...own, reservedMillicents: Math.min(own.heldMillicents, leftMillicents) };
    },
    async committedCounts(advertiserIds) {
      requireAtMost("advertiserIds", advertiserIds, MAX_COUNTED_ADVERTISERS);
      const counts = await Promise.all(
        advertiserIds.map(async (advertiserId): Promise<[string, number | null]> => {
          return [advertiserId, (await readAccount(redis, advertiserId))?.impressions ?? null];
        }),
      );
      return new Map(counts);
    },
  } satisfies Partial<MoneyCommands>;
}
