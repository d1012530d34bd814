import { type Cents, type Millicents, priceMillicents } from "@diegetic/money";
import { compileCampaign } from "../compiled/compiled-campaign.ts";
import { prepareRequest } from "../compiled/prepared-request.ts";
import { isInTieBand, lowestTyingBid, rankOf } from "../ranking/rank.ts";
import { creativesWithUsesLeft, sessionHasRoom } from "../rules/caps.ts";
import { creativesOfTypes } from "../rules/creative-type.ts";
import {
  type AccountTotals,
  balanceLeft,
  budgetLeft,
  type CampaignTotals,
  dailyCapLeft,
} from "../rules/money.ts";
import { type AffinityPart, affinityParts, affinityScore } from "../scoring/affinity-score.ts";
import type { Campaign, Creative } from "../types/campaign.ts";
import type { GameContext, Placement, PlayerGeo } from "../types/request.ts";
import { eligibilityChecks } from "./eligibility-checks.ts";
import { type Check, type CheckedRule, check } from "./reason-codes.ts";
import { summaryOf } from "./summary.ts";
import { inCents, quoted } from "./wording.ts";

/** The range of cpm_bid_cents. */
const MIN_BID_CENTS = 100;
const MAX_BID_CENTS = 10_000;

/** The current state of money and caps; null means unknown, so the campaign would not serve. */
export interface ExplainFacts {
  account: AccountTotals | null;
  campaign: CampaignTotals | null;
  session: {
    /** Ads that the player session has had. */
    ads: number;
    maxAds: number;
    /** By creative id: appearances in this session; a missing creative has not appeared. */
    appearances: ReadonlyMap<string, number>;
    /** The game belongs to another account: what its players saw is confidential, and the session counts as new. */
    countsAsNew?: boolean;
  } | null;
  /** The rank of the best other candidate; null when there is none. */
  winningRank: number | null;
}

/** Why a campaign would or would not serve a request (docs/behaviour.md#explain). */
export interface Explanation {
  campaignId: string;
  wouldServe: boolean;
  checks: Check[];
  affinityScore: number;
  /** One per affinity, zeros included. */
  affinityParts: AffinityPart[];
  rank: number;
  winningRank: number | null;
  /** The lowest bid with which it would serve; null when no bid suffices. */
  bidToWinCents: Cents | null;
  /** One sentence: why it would or would not serve. */
  summary: string;
}

/**
 * Checks all rules in the order of docs/behaviour.md#eligibility and continues after a failure. Serves, holds and counts
 * nothing. Compiles and ranks as the index does, but applies the rules one by one; agreement.test.ts verifies that both
 * agree. `nowMs` is in Unix milliseconds.
 */
export function explain(
  campaign: Campaign,
  request: { placement: Placement; context: GameContext; geo?: PlayerGeo | null; nowMs: number },
  facts: ExplainFacts,
): Explanation {
  const prepared = prepareRequest(request);
  const compiled = compileCampaign(campaign);
  const accepted = creativesOfTypes(campaign.creatives, prepared.placementTypes);
  const eligibility = eligibilityChecks(compiled, {
    prepared,
    context: request.context,
    geo: request.geo ?? null,
  });
  const caps = capChecks(accepted, facts.session);
  const checks = [...eligibility, ...moneyChecks(priceMillicents(campaign.cpm_bid_cents), facts), ...caps];
  const score = affinityScore(compiled.affinities, prepared.context);
  const rank = rankOf(campaign.cpm_bid_cents, score);
  const { winningRank } = facts;
  const ranksHighEnough = winningRank === null || isInTieBand(rank, Math.max(rank, winningRank));
  const wouldServe = ranksHighEnough && checks.every((one) => one.passed);
  const bidToWinCents = [...eligibility, ...caps].every((one) => one.passed) ? bidToWin(score, facts) : null;
  return {
    campaignId: campaign.campaign_id,
    wouldServe,
    checks,
    affinityScore: score,
    affinityParts: affinityParts(compiled.affinities, prepared.context),
    rank,
    winningRank,
    bidToWinCents,
    summary: summaryOf({ wouldServe, checks, rank, winningRank, bidToWinCents }),
  };
}

/** The campaign must pass all rules except rule 8. A higher bid costs more, so only the lowest sufficient bid can be affordable. */
function bidToWin(affinityScore: number, facts: ExplainFacts): Cents | null {
  const { winningRank } = facts;
  const lowest = winningRank === null ? 0 : lowestTyingBid(winningRank, affinityScore);
  const bid = Math.max(MIN_BID_CENTS, lowest);
  if (bid > MAX_BID_CENTS) return null;
  return moneyChecks(priceMillicents(bid), facts).every((one) => one.passed) ? bid : null;
}

/** Rule 8: balance, budget and daily cap each cover the price beyond what is spent and held. */
function moneyChecks(price: Millicents, { account, campaign }: ExplainFacts): Check[] {
  const covers = (rule: CheckedRule, name: string, left: Millicents) =>
    check(
      rule,
      left >= price,
      `${name} has ${inCents(left)} left over and above spent and held; an impression costs ${inCents(price)}.`,
    );
  const unknown = (rule: CheckedRule, name: string) => check(rule, false, `${name} is not known right now.`);
  const capLeft = campaign === null ? null : dailyCapLeft(campaign);
  return [
    account === null
      ? unknown("balance", "The balance")
      : covers("balance", "The balance", balanceLeft(account)),
    campaign === null
      ? unknown("budget", "The budget")
      : covers("budget", "The budget", budgetLeft(campaign)),
    campaign === null
      ? unknown("daily_cap", "Today's spend")
      : capLeft === null
        ? check("daily_cap", true, "The campaign has no daily cap.")
        : covers("daily_cap", "Today's cap", capLeft),
  ];
}

/** Rule 9: the caps of the player session. */
function capChecks(accepted: readonly Creative[], session: ExplainFacts["session"]): Check[] {
  if (session === null) {
    const detail = "What the player session has seen is not known right now.";
    return [check("max_ads_per_session", false, detail), check("max_uses_per_game", false, detail)];
  }
  const { ads, maxAds, appearances, countsAsNew = false } = session;
  const left = creativesWithUsesLeft(accepted, appearances);
  return [
    check(
      "max_ads_per_session",
      sessionHasRoom(ads, maxAds),
      countsAsNew
        ? `The game belongs to another account: the player session counts as new and has had 0 of at most ${maxAds} ads.`
        : `The player session has had ${ads} of at most ${maxAds} ads.`,
    ),
    check(
      "max_uses_per_game",
      accepted.length === 0 || left.length > 0,
      accepted.length === 0
        ? "There is no accepted creative whose appearances could be counted."
        : left.length > 0
          ? `${left.length} of ${accepted.length} accepted creatives have appearances left: ${quoted(left.map((one) => one.creative_id))}.`
          : `All ${accepted.length} accepted creatives have appeared max_uses_per_game times in this player session.`,
    ),
  ];
}
