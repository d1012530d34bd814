export { type CompiledCampaign, compileCampaign } from "./compiled/compiled-campaign.ts";
export { type PreparedRequest, prepareRequest } from "./compiled/prepared-request.ts";
export { type PreparedContext, prepareContext } from "./context/prepared-context.ts";
export { hookFor } from "./creatives/hook-rotation.ts";
export { type ExplainFacts, type Explanation, explain } from "./explain/explain.ts";
export { CampaignIndex, type Draw, type Ranked } from "./matching-index/campaign-index.ts";
export type { CampaignIds } from "./matching-index/documents/campaign-store.ts";
export type { Candidate } from "./matching-index/search/candidate.ts";
export { type Pacing, type PacingFacts, pacingOf } from "./pacing/pacing.ts";
export { type BiasedPipeline, biasedPipeline } from "./pipeline/biased-pipeline.ts";
export { isInTieBand, rankOf } from "./ranking/rank.ts";
export { type CheckedRule, reasonCodes } from "./rules/all-rules.ts";
export { creativesWithUsesLeft, sessionHasRoom } from "./rules/caps.ts";
export { balanceLeft, type MoneyFacts, moneyRule } from "./rules/money.ts";
export type { Check } from "./rules/rule.ts";
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
