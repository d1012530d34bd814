import type { CampaignSummary } from "@diegetic/hot-state";
import {
  type AdvertiserBalances,
  type CampaignBalances,
  NOTHING_WAITS,
  type WaitingBalances,
  type WalletBalances,
} from "./balances.ts";
import { Comparisons } from "./comparison.ts";

/** An advertiser's wallet in Redis against itself and against Postgres. */
export function checkWallet(advertiser: AdvertiserBalances, balances: WalletBalances): Comparisons {
  const { wallet, waiting } = balances;
  const { account } = wallet;
  const id = advertiser.advertiserId;
  const checks = new Comparisons(id);
  checks.equal("wallet_present", id, 1, account === null ? 0 : 1);
  checkBacklog(checks, id, balances);
  if (account === null) return checks;

  checks.equal("recovery_epoch", id, advertiser.recoveryEpoch, account.live ? account.epoch : -1);
  // It neither serves nor charges, and is made anew from Postgres.
  if (!account.live) return checks;
  const published = balances.publishedVersions.get(id) ?? 0;
  checks.atMost("wallet_version", id, account.version, published);
  if (account.version === advertiser.version || account.version < published) {
    checks.equal("wallet_deposited", id, advertiser.depositedMillicents, account.depositedMillicents);
  }
  if (waiting !== null) {
    const { quarantined } = advertiser;
    const quarantine = { impressions: quarantined.count, priceMillicents: quarantined.priceMillicents };
    checkTotals(checks, id, { books: advertiser, waiting: waiting.all, quarantine, inWallet: account });
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
    checks.equal("sessionReleases", id, 0, wallet.sessionReleases.count);
  // Each by its name: one that is there in every look is stuck, while others come and go.
  for (const matchId of wallet.sessionReleases.some) checks.equal("sessionReleases", matchId, 0, 1);
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
      books: campaign,
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

/** Spent and impressions of an advertiser or a campaign: what the wallet has is written, or waits to be. */
function checkTotals(
  checks: Comparisons,
  id: string,
  balances: {
    books: { spentMillicents: bigint; impressions: bigint };
    waiting: WaitingBalances;
    quarantine: WaitingBalances;
    inWallet: { spentMillicents: number; impressions: number };
  },
): void {
  const { books, waiting, quarantine, inWallet } = balances;
  const spent = books.spentMillicents + waiting.priceMillicents;
  const impressions = books.impressions + waiting.impressions;
  const walletSpent = BigInt(inWallet.spentMillicents);
  const walletImpressions = BigInt(inWallet.impressions);
  const expectedSpent = withQuarantined(spent, quarantine.priceMillicents, walletSpent);
  checks.equal("wallet_spent", id, expectedSpent, walletSpent);
  const expectedImpressions = withQuarantined(impressions, quarantine.impressions, walletImpressions);
  checks.equal("wallet_impressions", id, expectedImpressions, walletImpressions);
}

/** Records that were quarantined are a finding of their own: the wallet may have them still, or have taken them back. */
function withQuarantined(written: bigint, quarantine: bigint, found: bigint): bigint {
  return found > written && found <= written + quarantine ? found : written;
}

function checkSettings(checks: Comparisons, campaign: CampaignBalances, inWallet: CampaignSummary): void {
  const id = campaign.campaignId;
  checks.equal("wallet_settings", `${id} budget`, campaign.budgetMillicents, inWallet.budgetMillicents);
  // A cap is never zero: that stands for none.
  const cap = campaign.dailyCapMillicents ?? 0n;
  checks.equal("wallet_settings", `${id} daily cap`, cap, inWallet.dailyCapMillicents ?? 0);
  checks.equal("wallet_settings", `${id} status`, 0, campaign.status === inWallet.status ? 0 : 1);
}

/** A limit, and what is spent and held of it. */
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

/** Whether a campaign has used more than a limit, so that the reason has to be looked for. */
export function isOverLimit(inWallet: CampaignSummary): boolean {
  const { budget, dailyCap } = limitsOf(inWallet);
  return budget.used > budget.limit || (dailyCap !== null && dailyCap.used > dailyCap.limit);
}

/**
 * What is taken always fits, and what is taken never grows by itself. A limit is passed only when it was lowered while
 * holds were out (then nothing was taken under the present version, and `lowered` is what has to fit in any case), or by the
 * sum of the charges that a restored wallet had not known, and was told of late.
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
