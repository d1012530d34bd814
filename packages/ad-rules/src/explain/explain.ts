import { type Cents, priceMillicents } from "@diegetic/money";
import { compileCampaign } from "../compiled/compiled-campaign.ts";
import { prepareContext } from "../context/prepared-context.ts";
import { isInTieBand, lowestTyingBid, rankOf } from "../ranking/rank.ts";
import { type CheckedRule, eligibilityRules } from "../rules/all-rules.ts";
import { capsRule, type SessionFacts } from "../rules/caps.ts";
import { creativesOfTypes } from "../rules/creative-type.ts";
import { preparePlayerPlace } from "../rules/geo.ts";
import { type MoneyFacts, moneyRule } from "../rules/money.ts";
import { preparePlacement } from "../rules/placement.ts";
import type { Check } from "../rules/rule.ts";
import { type AffinityPart, affinityParts, affinityScore } from "../scoring/affinity-score.ts";
import type { Campaign } from "../types/campaign.ts";
import type { MatchScene } from "../types/request.ts";
import { summaryOf } from "./summary.ts";

/** The range of cpm_bid_cents. */
const MIN_BID_CENTS = 100;
const MAX_BID_CENTS = 10_000;

/** The current state of money and caps; null means unknown, so the campaign would not serve. */
export interface ExplainFacts extends MoneyFacts {
  session: SessionFacts | null;
  /** The rank of the best other candidate; null when there is none. */
  winningRank: number | null;
}

/** Why a campaign would or would not serve a request (docs/behaviour.md#explain). */
export interface Explanation {
  campaignId: string;
  wouldServe: boolean;
  checks: Check<CheckedRule>[];
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
export function explain(campaign: Campaign, scene: MatchScene, facts: ExplainFacts): Explanation {
  const { placement, context, nowMs } = scene;
  const geo = scene.geo ?? null;
  const prepared = {
    gameId: placement.game_id,
    placementTypes: placement.placement_types,
    placement: preparePlacement(placement),
    context: prepareContext(context),
    player: preparePlayerPlace(geo),
    nowMs,
  };
  const compiled = compileCampaign(campaign);
  const accepted = creativesOfTypes(campaign.creatives, placement.placement_types);
  const eligibility: Check<CheckedRule>[] = eligibilityRules.flatMap((rule) => [
    ...rule.checks(compiled, { prepared, context, geo }),
  ]);
  const caps = capsRule.checks({ accepted }, facts.session);
  const checks = [...eligibility, ...moneyChecks(campaign.cpm_bid_cents, facts), ...caps];
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
  return moneyChecks(bid, facts).every((one) => one.passed) ? bid : null;
}

function moneyChecks(bidCents: Cents, facts: ExplainFacts) {
  return moneyRule.checks({ priceMillicents: priceMillicents(bidCents) }, facts);
}
