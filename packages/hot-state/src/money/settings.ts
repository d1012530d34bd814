import { requireDay, requireInteger, requirePlainName } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { MAX_WALLET_SLICES, walletKeys } from "../keys.ts";
import type { ReplyReader } from "../reply.ts";
import { defineScript } from "../script.ts";
import type { CampaignSettings, CampaignSpending } from "./campaign-state.ts";
import { createSliceReports } from "./slice-reports.ts";
import { APPLY_CAMPAIGN_CODES, APPLY_CODES, type CeilingResult, type MoneyCommands } from "./types.ts";
import { walletIds } from "./wallet-ids.ts";

const CEILING_CODES = ["ok", "spent", "unknown_wallet"] as const;

/** Commands that write the settings of management to wallets. */
export function createSettingsCommands(redis: RedisConnection) {
  const applyAccount = defineScript(redis, "apply_account", 1);
  const applyCampaign = defineScript(redis, "apply_campaign", 2);
  const setBudgetCeiling = defineScript(redis, "set_budget_ceiling", 2);
  const reports = createSliceReports(redis);
  return {
    async applyAccount({ advertiserId, version, depositedMillicents, slices = 1 }) {
      const reply = await applyAccount(
        walletKeys.account(requirePlainName("advertiserId", advertiserId)),
        requireInteger("version", version, 0),
        requireInteger("depositedMillicents", depositedMillicents, 0),
        requireInteger("slices", slices, 1, MAX_WALLET_SLICES),
      );
      const result = reply.code(0, APPLY_CODES);
      return result === "applied" && !(await haveSameEpoch(redis, advertiserId, slices))
        ? "unknown_wallet"
        : result;
    },
    async applyCampaign({ advertiserId, seed, ...settings }) {
      const { campaignId } = settings;
      const reply = await applyCampaign(
        walletKeys.account(advertiserId),
        campaignKey(advertiserId, campaignId),
        ...settingsArguments(settings),
        ...(seed === null ? [] : spendingArguments(seed)),
      );
      const result = reply.code(0, APPLY_CAMPAIGN_CODES);
      if (result !== "applied") return result;
      const isApplied = await reports.apply({ advertiserId, campaignId }, reply.integer(1), settings);
      return isApplied ? "applied" : "unknown_wallet";
    },
    async setBudgetCeiling(advertiserId, campaignId, ceilingMillicents) {
      const set = (millicents: number | null) =>
        setBudgetCeiling(
          walletKeys.account(advertiserId),
          campaignKey(advertiserId, campaignId),
          millicents === null ? "" : requireInteger("ceilingMillicents", millicents, 0),
        );
      const first = await set(ceilingMillicents);
      const slices = first.code(0, CEILING_CODES) === "ok" ? first.integer(1) : 1;
      if (slices === 1) return ceilingResult(first);
      const formerText = first.text(2);
      // Grants made from now on respect the ceiling. First it must be known what slices have spent: an open hold loses its money only
      // to a ceiling that counts.
      const sliced = { advertiserId, campaignId };
      let isInForce = false;
      try {
        if (!(await reports.takeBackUnused(sliced))) return { outcome: "unknown_wallet" };
        let result = ceilingResult(await set(ceilingMillicents));
        if (result.outcome === "ok") {
          if (!(await reports.takeBackExcess(sliced))) return { outcome: "unknown_wallet" };
          result = ceilingResult(await set(ceilingMillicents));
        }
        isInForce = result.outcome === "ok";
        return result;
      } finally {
        if (!isInForce) await set(formerText === "" ? null : first.integer(2));
      }
    },
  } satisfies Partial<MoneyCommands>;
}

function ceilingResult(reply: ReplyReader): CeilingResult {
  const outcome = reply.code(0, CEILING_CODES);
  return outcome === "spent" ? { outcome, spentMillicents: reply.integer(1) } : { outcome };
}

/** Whether all slices of a wallet were restored together. */
async function haveSameEpoch(redis: RedisConnection, advertiserId: string, slices: number): Promise<boolean> {
  if (slices === 1) return true;
  const epochs = await Promise.all(
    walletIds(advertiserId, slices).map((id) => redis.hget(walletKeys.account(id), "epoch")),
  );
  return epochs.every((epoch) => epoch === epochs[0]);
}

/** Arguments of scripts that write a campaign's settings. */
export function settingsArguments(settings: CampaignSettings): (string | number)[] {
  const { version, status, budgetMillicents, dailyCapMillicents } = settings;
  return [
    requireInteger("version", version, 0),
    status,
    requireInteger("budgetMillicents", budgetMillicents, 0),
    dailyCapMillicents === null ? "" : requireInteger("dailyCapMillicents", dailyCapMillicents, 0),
  ];
}

/** Arguments of scripts that write a campaign's totals, behind its settings. */
export function spendingArguments(spending: CampaignSpending): (string | number)[] {
  return [
    requireInteger("spentMillicents", spending.spentMillicents, 0),
    requireInteger("impressions", spending.impressions, 0),
    requireDay(spending.day),
    requireInteger("daySpentMillicents", spending.daySpentMillicents, 0),
  ];
}

function campaignKey(advertiserId: string, campaignId: string): string {
  return walletKeys.campaign(
    requirePlainName("advertiserId", advertiserId),
    requirePlainName("campaignId", campaignId),
  );
}
