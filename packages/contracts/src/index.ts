export * from "./ids.ts";
export * from "./impression-record.ts";
export { type OpenApiDocument, openApiDocument } from "./open-api/document.ts";
export * from "./operations/index.ts";
export { expressPath, type Operation, roleOf } from "./operations/operation.ts";
export * from "./schemas/advertiser.ts";
export * from "./schemas/affinity.ts";
export * from "./schemas/analytics.ts";
export * from "./schemas/api-key.ts";
export * from "./schemas/blocklist.ts";
export * from "./schemas/campaign.ts";
export * from "./schemas/campaign-bulk.ts";
export * from "./schemas/creative.ts";
export * from "./schemas/demo.ts";
export * from "./schemas/explain.ts";
export {
  CAMPAIGN_STATUSES,
  CREATIVE_TYPES,
  type ErrorBody,
  errorSchema,
  LIST_ENTRIES,
  MAX_AMOUNT_CENTS,
  NAME_CHARACTERS,
  TEXT_CHARACTERS,
  TONES,
} from "./schemas/fields.ts";
export * from "./schemas/geo-target.ts";
export * from "./schemas/impression.ts";
export * from "./schemas/ledger.ts";
export * from "./schemas/match.ts";
export * from "./schemas/member.ts";
export * from "./schemas/placement.ts";
export * from "./schemas/revenue.ts";
export * from "./schemas/session.ts";
export * from "./schemas/simulator.ts";
export * from "./schemas/spending.ts";
export * from "./schemas/system.ts";
export * from "./schemas/traffic.ts";
export * from "./snapshot.ts";
export { isCountryCode } from "./validation/country-codes.ts";
export { InvalidInput } from "./validation/invalid-input.ts";
export { dayParameter, integerParameter, singleParameter } from "./validation/parameter.ts";
export { quoteValue } from "./validation/sentence.ts";
export { createValidator, type Validator, validator, type WithoutNulls } from "./validation/validator.ts";
