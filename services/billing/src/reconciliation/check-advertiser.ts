import type { AdvertiserBalances, CampaignBalances } from "./balances.ts";
import { Comparisons } from "./comparison.ts";

const MICROCENTS = 1_000n;

/** Compares an advertiser's balances in Postgres with each other. */
export function checkAdvertiser(advertiser: AdvertiserBalances): Comparisons {
  const { advertiserId: id, campaigns } = advertiser;
  const checks = new Comparisons(id);
  checks.equal("deposit_rows", id, advertiser.depositRowsMillicents, advertiser.depositedMillicents);
  checks.equal(
    "deposit_ledger",
    id,
    advertiser.depositRowsMillicents * MICROCENTS,
    advertiser.depositLedgerMicrocents,
  );
  checks.equal("spent_by_campaigns", id, sum(campaigns, "spentMillicents"), advertiser.spentMillicents);
  checks.equal("impressions_by_campaigns", id, sum(campaigns, "impressions"), advertiser.impressions);
  checks.atMost("balance", id, advertiser.depositedMillicents, advertiser.spentMillicents);
  checks.equal("published", id, advertiser.version, advertiser.publishedVersion);
  checks.equal("quarantined", id, 0, advertiser.quarantined.unresolved);
  checks.equal("settlements", id, 0, advertiser.pendingSettlements);
  for (const campaign of campaigns) {
    checkCampaign(checks, campaign);
    checkDays(checks, campaign, advertiser.late.byDay);
  }
  return checks;
}

function checkCampaign(checks: Comparisons, campaign: CampaignBalances): void {
  const { campaignId: id, spentMillicents: spent, impressions, rollups, ledger, uniqueUsers } = campaign;
  const { creatives, countries, games } = campaign;
  checks.atMost("budget", id, campaign.budgetMillicents, spent);
  checks.equal("rollup_spent", id, spent, rollups.spentMillicents);
  checks.equal("rollup_impressions", id, impressions, rollups.impressions);
  checks.equal("ledger_charges", id, spent * MICROCENTS, -ledger.chargeMicrocents);
  checks.equal("ledger_impressions", id, impressions, ledger.impressions);
  const balance = ledger.chargeMicrocents + ledger.feeMicrocents + games.earningMicrocents;
  checks.equal("ledger_balance", id, 0, balance);
  checks.equal("creative_impressions", id, impressions, creatives.impressions);
  checks.equal("creative_spent", id, spent, creatives.spentMillicents);
  checks.equal("country_impressions", id, impressions, countries.impressions);
  checks.equal("country_spent", id, spent, countries.spentMillicents);
  checks.equal("campaign_game_impressions", id, impressions, games.impressions);
  checks.equal("affinity_scores", id, rollups.affinityScoreMillionths, creatives.affinityScoreMillionths);
  checks.equal("version_impressions", id, impressions, campaign.versions.impressions);
  checks.equal("unique_users", id, uniqueUsers.rows, uniqueUsers.counted);
  checks.equal("unique_users", `${id} by member`, 0, uniqueUsers.differing);
  checks.equal("published", id, campaign.version, campaign.publishedVersion);
}

/** On and before the day of a settings change, another cap may have applied. Late charges may exceed a full day. */
function checkDays(
  checks: Comparisons,
  { campaignId: id, dailyCapMillicents: cap, changedOn, spentByDay }: CampaignBalances,
  late: ReadonlyMap<string, bigint>,
): void {
  if (cap === null) return;
  for (const [day, spent] of spentByDay) {
    if (day <= changedOn) continue;
    const subject = `${id} ${day}`;
    checks.atMost("day_cap", subject, spent > cap ? cap + (late.get(subject) ?? 0n) : cap, spent);
  }
}

function sum(campaigns: readonly CampaignBalances[], field: "spentMillicents" | "impressions"): bigint {
  return campaigns.reduce((total, campaign) => total + campaign[field], 0n);
}
