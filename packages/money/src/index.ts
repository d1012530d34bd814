export {
  addMillicents,
  type BasisPoints,
  type Cents,
  centsToMillicents,
  InexactMoney,
  MAX_MILLICENTS,
  type Microcents,
  type Millicents,
  millicentsFromBigint,
  millicentsToMicrocents,
  subtractMillicents,
  WHOLE_BASIS_POINTS,
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
export {
  centsDown,
  centsHalfUp,
  centsUp,
  microcentsToCentsDown,
  microcentsToCentsHalfUp,
  microcentsToCentsUp,
} from "./rounding.ts";
