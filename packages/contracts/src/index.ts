export * from "./api/index.ts";
export * from "./definition/common-errors.ts";
export * from "./definition/enumerations.ts";
export { AFFINITY_WEIGHT, errorSchema } from "./definition/fields.ts";
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
export { openApiDocument } from "./open-api/document.ts";
export * from "./snapshot.ts";
export {
  choiceParameter,
  countryParameter,
  dayParameter,
  integerParameter,
  singleParameter,
  textParameter,
} from "./validation/parameter.ts";
export { quoteValue } from "./validation/sentence.ts";
export { validator } from "./validation/validator.ts";
