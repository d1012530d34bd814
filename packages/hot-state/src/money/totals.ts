import type { CampaignStatus } from "@diegetic/contracts";
import type { RedisConnection } from "../connection.ts";
import { advertiserKeys } from "../keys.ts";
import { ReplyReader } from "../reply.ts";
import { defineScript } from "../script.ts";
import { requireAtMost, requireInteger, requirePlainName } from "./limits.ts";
import {
  type AccountTotals,
  APPLY_CAMPAIGN_CODES,
  APPLY_CODES,
  type CampaignState,
  type CampaignTotals,
  type MoneyCommands,
} from "./types.ts";

const STATUSES: readonly CampaignStatus[] = ["draft", "active", "paused"];
const MAX_COUNTED_ADVERTISERS = 1_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const ACCOUNT_FIELDS = ["version", "deposited", "spent", "held", "impressions", "epoch"];
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

/** The fields of a hash, or null if it does not exist. Throws if the hash lacks one of them. */
async function readFields(
  redis: RedisConnection,
  key: string,
  fields: string[],
): Promise<ReplyReader | null> {
  const values = await redis.hmget(key, ...fields);
  return values.every((value) => value === null) ? null : new ReplyReader(`hmget ${key}`, values);
}

function createApplyCommands(redis: RedisConnection) {
  const applyAccount = defineScript(redis, "apply_account", 1);
  const applyCampaign = defineScript(redis, "apply_campaign", 2);
  const setBudgetCeiling = defineScript(redis, "set_budget_ceiling", 2);
  return {
    async applyAccount({ advertiserId, version, depositedMillicents }) {
      const reply = await applyAccount(
        advertiserKeys.account(requirePlainName("advertiserId", advertiserId)),
        requireInteger("version", version, 0),
        requireInteger("depositedMillicents", depositedMillicents, 0),
      );
      return new ReplyReader("apply_account", reply).code(0, APPLY_CODES);
    },
    async applyCampaign({
      advertiserId,
      campaignId,
      version,
      status,
      budgetMillicents,
      dailyCapMillicents,
      seed,
    }) {
      if (seed !== null && !DAY.test(seed.day))
        throw new RangeError(`seed.day must be YYYY-MM-DD, not ${seed.day}`);
      const reply = await applyCampaign(
        advertiserKeys.account(advertiserId),
        campaignKey(advertiserId, campaignId),
        requireInteger("version", version, 0),
        status,
        requireInteger("budgetMillicents", budgetMillicents, 0),
        dailyCapMillicents === null ? "" : requireInteger("dailyCapMillicents", dailyCapMillicents, 0),
        ...seedArguments(seed),
      );
      return new ReplyReader("apply_campaign", reply).code(0, APPLY_CAMPAIGN_CODES);
    },
    async setBudgetCeiling(advertiserId, campaignId, ceilingMillicents) {
      const reply = new ReplyReader(
        "set_budget_ceiling",
        await setBudgetCeiling(
          advertiserKeys.account(advertiserId),
          campaignKey(advertiserId, campaignId),
          ceilingMillicents === null ? "" : requireInteger("ceilingMillicents", ceilingMillicents, 0),
        ),
      );
      const outcome = reply.code(0, ["ok", "spent", "unknown_wallet"]);
      return outcome === "spent" ? { outcome, spentMillicents: reply.integer(1) } : { outcome };
    },
  } satisfies Partial<MoneyCommands>;
}

function seedArguments(seed: CampaignState["seed"]): (string | number)[] {
  if (seed === null) return [];
  return [
    requireInteger("seed.spentMillicents", seed.spentMillicents, 0),
    requireInteger("seed.impressions", seed.impressions, 0),
    seed.day,
    requireInteger("seed.daySpentMillicents", seed.daySpentMillicents, 0),
  ];
}

function campaignKey(advertiserId: string, campaignId: string): string {
  return advertiserKeys.campaign(
    requirePlainName("advertiserId", advertiserId),
    requirePlainName("campaignId", campaignId),
  );
}

async function readAccount(redis: RedisConnection, advertiserId: string): Promise<AccountTotals | null> {
  const fields = await readFields(redis, advertiserKeys.account(advertiserId), ACCOUNT_FIELDS);
  return fields === null ? null : readAccountTotals(fields);
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

async function readCampaign(
  redis: RedisConnection,
  advertiserId: string,
  campaignId: string,
): Promise<CampaignTotals | null> {
  const fields = await readFields(redis, advertiserKeys.campaign(advertiserId, campaignId), CAMPAIGN_FIELDS);
  return fields === null ? null : { ...readCampaignTotals(fields, 0), status: fields.code(1, STATUSES) };
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

/** Commands that write the settings of management to wallets, and read their totals. */
export function createTotalsCommands(redis: RedisConnection) {
  return {
    ...createApplyCommands(redis),
    readAccount: (advertiserId) => readAccount(redis, advertiserId),
    readCampaign: (advertiserId, campaignId) => readCampaign(redis, advertiserId, campaignId),
    async committedCounts(advertiserIds) {
      requireAtMost("advertiserIds", advertiserIds, MAX_COUNTED_ADVERTISERS);
      const counts = await Promise.all(
        advertiserIds.map(async (advertiserId): Promise<[string, number | null]> => {
          const fields = await readFields(redis, advertiserKeys.account(advertiserId), ["impressions"]);
          return [advertiserId, fields === null ? null : fields.integer(0)];
        }),
      );
      return new Map(counts);
    },
  } satisfies Partial<MoneyCommands>;
}
