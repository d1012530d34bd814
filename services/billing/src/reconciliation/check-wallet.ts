import type { CampaignSummary } from "@diegetic/hot-state";
import {
  type AdvertiserBalances,
  type CampaignBalances,
  NOTHING_WAITS,
  type WaitingBalances,
  type WalletBalances,
} from "./balances.ts";
import { Comparisons } from "./comparison.ts";

/** Compares an advertiser's wallet in Redis with itself and with Postgres. */
export function checkWallet(advertiser: AdvertiserBalances, balances: WalletBalances): Comparisons {
  const { wallet, waiting } = balances;
  const { account } = wallet;
  const id = advertiser.advertiserId;
  const checks = new Comparisons(id);
  checks.equal("wallet_present", id, 1, account === null ? 0 : 1);
  checkBacklog(checks, id, balances);
  if (account === null) return checks;

  checks.equal("recovery_epoch", id, advertiser.recoveryEpoch, account.live ? account.epoch : -1);
  // A frozen wallet does not serve; management restores it from Postgres.
  if (!account.live) return checks;
  const published = balances.publishedVersions.get(id) ?? 0;
  checks.atMost("wallet_version", id, account.version, published);
  if (account.version === advertiser.version || account.version < published) {
    checks.equal("wallet_deposited", id, advertiser.depositedMillicents, account.depositedMillicents);
  }
  if (waiting !== null) {
    const { quarantined } = advertiser;
    const quarantine = { impressions: quarantined.count, priceMillicents: quarantined.priceMillicents };
    checkTotals(checks, id, { written: advertiser, waiting: waiting.all, quarantine, inWallet: account });
  }
  const held = account.heldMillicents;
  if (wallet.holds.sumMillicents !== null) {
    checks.equal("wallet_held", `${id} holds`, wallet.holds.sumMillicents, held);
  }
  const heldByCampaigns = wallet.campaigns.reduce((total, campaign) => total + campaign.heldMillicents, 0);
  checks.equal("wallet_held", `${id} campaigns`, heldByCampaigns, held);
  const balance = { limit: account.depositedMillicents, used: account.spentMillicents + held };
  checkLimit(checks, "wallet_balance", id, { ...balance, late: advertiser.late.all, lowered: null });

  const known = new Map(wallet.campaigns.map((campaign) => [campaign.campaignId, campaign]));
  for (const campaign of advertiser.campaigns) {
    const inWallet = known.get(campaign.campaignId);
    checks.equal("wallet_present", campaign.campaignId, 1, inWallet === undefined ? 0 : 1);
    if (inWallet !== undefined) checkCampaign(checks, advertiser, campaign, inWallet, balances);
  }
  return checks;
}

function checkBacklog(checks: Comparisons, id: string, { wallet, overdueRecords }: WalletBalances): void {
  checks.equal("outbox_age", id, 0, overdueRecords);
  checks.equal("lapsed_holds", id, 0, wallet.holds.lapsedLongAgo);
  if (wallet.sessionReleases.some.length === 0)
    checks.equal("session_releases", id, 0, wallet.sessionReleases.count);
  // Each by its own name: only a stuck release appears in every read.
  for (const matchId of wallet.sessionReleases.some) checks.equal("session_releases", matchId, 0, 1);
}

function checkCampaign(
  checks: Comparisons,
  advertiser: AdvertiserBalances,
  campaign: CampaignBalances,
  inWallet: CampaignSummary,
  { waiting, newestVersions, publishedVersions }: WalletBalances,
): void {
  const id = campaign.campaignId;
  const published = publishedVersions.get(id) ?? 0;
  checks.atMost("wallet_version", id, inWallet.version, published);
  if (inWallet.version === campaign.version || inWallet.version < published) {
    checkSettings(checks, campaign, inWallet);
  }
  if (waiting !== null) {
    checkTotals(checks, id, {
      written: campaign,
      waiting: waiting.byCampaign.get(id) ?? NOTHING_WAITS,
      quarantine: advertiser.quarantined.byCampaign.get(id) ?? NOTHING_WAITS,
      inWallet,
    });
    const written = campaign.spentByDay.get(inWallet.day);
    if (written !== undefined) {
      const waitingToday = waiting.priceByDay.get(`${id} ${inWallet.day}`) ?? 0n;
      checks.atMost("wallet_day", id, inWallet.daySpentMillicents, written + waitingToday);
    }
  }
  if (inWallet.holdsMillicents !== null) {
    checks.equal("wallet_held", id, inWallet.holdsMillicents, inWallet.heldMillicents);
  }
  if (inWallet.differingShares !== null) checks.equal("wallet_shares", id, 0, inWallet.differingShares);
  const newest = newestVersions.get(id) ?? campaign.versions.newest;
  const isLowered = newest < inWallet.version;
  const { budget, dailyCap } = limitsOf(inWallet);
  const late = advertiser.late.byCampaign.get(id) ?? 0n;
  checkLimit(checks, "wallet_budget", id, {
    ...budget,
    late,
    lowered: isLowered ? inWallet.spentMillicents : null,
  });
  if (dailyCap === null) return;
  const lateToday = advertiser.late.byDay.get(`${id} ${inWallet.day}`) ?? 0n;
  checkLimit(checks, "wallet_daily_cap", id, { ...dailyCap, late: lateToday, lowered: isLowered ? 0 : null });
}

/** Spent and impressions of an advertiser or a campaign: the wallet's totals are in Postgres or in the outbox. */
function checkTotals(
  checks: Comparisons,
  id: string,
  balances: {
    written: { spentMillicents: bigint; impressions: bigint };
    waiting: WaitingBalances;
    quarantine: WaitingBalances;
    inWallet: { spentMillicents: number; impressions: number };
  },
): void {
  const { written, waiting, quarantine, inWallet } = balances;
  const spent = written.spentMillicents + waiting.priceMillicents;
  const impressions = written.impressions + waiting.impressions;
  const walletSpent = BigInt(inWallet.spentMillicents);
  const walletImpressions = BigInt(inWallet.impressions);
  const expectedSpent = withQuarantined(spent, quarantine.priceMillicents, walletSpent);
  checks.equal("wallet_spent", id, expectedSpent, walletSpent);
  const expectedImpressions = withQuarantined(impressions, quarantine.impressions, walletImpressions);
  checks.equal("wallet_impressions", id, expectedImpressions, walletImpressions);
}

/** Quarantined records are reported separately: the wallet may still contain them, or may have reversed them. */
function withQuarantined(written: bigint, quarantine: bigint, found: bigint): bigint {
  return found > written && found <= written + quarantine ? found : written;
}

function checkSettings(checks: Comparisons, campaign: CampaignBalances, inWallet: CampaignSummary): void {
  const id = campaign.campaignId;
  checks.equal("wallet_settings", `${id} budget`, campaign.budgetMillicents, inWallet.budgetMillicents);
  // 0 stands for no cap.
  const cap = campaign.dailyCapMillicents ?? 0n;
  checks.equal("wallet_settings", `${id} daily cap`, cap, inWallet.dailyCapMillicents ?? 0);
  checks.equal("wallet_settings", `${id} status`, 0, campaign.status === inWallet.status ? 0 : 1);
}

/** A limit, and the amounts spent and held against it. */
interface Limit {
  limit: number;
  used: number;
}

function limitsOf(inWallet: CampaignSummary): { budget: Limit; dailyCap: Limit | null } {
  const held = inWallet.heldMillicents;
  const cap = inWallet.dailyCapMillicents;
  return {
    budget: { limit: inWallet.budgetMillicents, used: inWallet.spentMillicents + held },
    dailyCap: cap === null ? null : { limit: cap, used: inWallet.daySpentMillicents + held },
  };
}

/** Whether a campaign exceeds a limit, so that its newest version must be read. */
export function isOverLimit(inWallet: CampaignSummary): boolean {
  const { budget, dailyCap } = limitsOf(inWallet);
  return budget.used > budget.limit || (dailyCap !== null && dailyCap.used > dailyCap.limit);
}

/**
 * Reservations always fit and holds never grow. A limit is exceeded only when it was lowered while holds were open
 * (then nothing was taken under the current version, and `lowered` must fit in any case), or by late charges that a
 * restored wallet received.
 */
function checkLimit(
  checks: Comparisons,
  check: "wallet_budget" | "wallet_daily_cap" | "wallet_balance",
  id: string,
  { limit, used, late, lowered }: Limit & { late: bigint; lowered: number | null },
): void {
  const found = used > limit && lowered !== null ? lowered : used;
  checks.atMost(check, id, found > limit ? BigInt(limit) + late : limit, found);
}
