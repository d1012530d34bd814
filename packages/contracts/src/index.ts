export * from "./ids.ts";
export * from "./impression-record.ts";
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
export * from "./schemas/impression.ts";
export * from "./schemas/match.ts";
export * from "./snapshot.ts";
export { isCountryCode } from "./validation/country-codes.ts";
export { InvalidInput } from "./validation/invalid-input.ts";
export { createValidator, type Validator, validator, type WithoutNulls } from "./validation/validator.ts";
