export {
  type BasisPoints,
  type Cents,
  centsToMillicents,
  MAX_MILLICENTS,
  type Microcents,
  type Millicents,
  microcentsToNumber,
  millicentsToMicrocents,
} from "./amounts.ts";
export {
  basisPointsToPercent,
  chargedCents,
  earningMicrocents,
  effectiveCpmCents,
  feeMicrocents,
  percentToBasisPoints,
  priceMillicents,
} from "./impression.ts";
export { centsDown, centsHalfUp, centsUp, microcentsToCentsDown } from "./rounding.ts";
