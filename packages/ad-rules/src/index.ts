export { type CompiledCampaign, compileCampaign } from "./candidates/compiled-campaign.ts";
export { type PreparedContext, prepareContext } from "./candidates/prepared-context.ts";
export { type PreparedRequest, prepareRequest } from "./candidates/prepared-request.ts";
export {
  type Candidate,
  drawCandidates,
  highestOtherRank,
  type Selection,
  type SelectionRequest,
  selectCandidates,
} from "./candidates/select-candidates.ts";
export { hookFor } from "./creatives/hook-rotation.ts";
export { type ExplainFacts, type Explanation, explain } from "./explain/explain.ts";
export { type Check, type CheckedRule, reasonCodes } from "./explain/reason-codes.ts";
export { CampaignIndex } from "./matching-index/campaign-index.ts";
export { selectPlainly } from "./model/select-plainly.ts";
export {
  type Pacing,
  type PacingFacts,
  type PacingStatus,
  pacingOf,
  pacingStatuses,
} from "./pacing/pacing.ts";
export { type BiasedPipeline, biasedPipeline } from "./pipeline/biased-pipeline.ts";
export { isInTieBand, rankOf } from "./ranking/rank.ts";
export { type Contender, drawWinner } from "./ranking/tie-draw.ts";
export { creativesWithUsesLeft, sessionHasRoom } from "./rules/caps.ts";
export { type EligibilityRule, eligibilityRules, isEligible } from "./rules/eligibility.ts";
export {
  type AccountTotals,
  balanceLeft,
  budgetLeft,
  type CampaignTotals,
  dailyCapLeft,
} from "./rules/money.ts";
export { parseDate } from "./rules/schedule.ts";
export {
  type AffinityPart,
  affinityParts,
  affinityScore,
  compileAffinities,
} from "./scoring/affinity-score.ts";
export { comparableCityName } from "./text/city-name.ts";
export { comparable } from "./text/equality.ts";
export { occurs, phrase, searchable } from "./text/words.ts";
export type * from "./types/campaign.ts";
export type * from "./types/request.ts";
