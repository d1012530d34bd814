export * from "./api/index.ts";
export * from "./definition/common-errors.ts";
export * from "./definition/enumerations.ts";
export {
  AFFINITY_WEIGHT,
  errorSchema,
  LIST_ENTRIES,
  MAX_AMOUNT_CENTS,
  NAME_CHARACTERS,
  TEXT_CHARACTERS,
} from "./definition/fields.ts";
export {
  expressPath,
  type NamedError,
  type Operation,
  type RateLimitGroup,
  roleOf,
} from "./definition/operation.ts";
export * from "./definition/shared-sentences.ts";
export { HttpError, InvalidInput } from "./http-error.ts";
export * from "./ids.ts";
export * from "./impression-record.ts";
export { type OpenApiDocument, openApiDocument } from "./open-api/document.ts";
export * from "./snapshot.ts";
export { isCountryCode } from "./validation/country-codes.ts";
export {
  choiceParameter,
  countryParameter,
  dayParameter,
  integerParameter,
  singleParameter,
  textParameter,
} from "./validation/parameter.ts";
export { quoteValue } from "./validation/sentence.ts";
export { createValidator, type Validator, validator, type WithoutNulls } from "./validation/validator.ts";
