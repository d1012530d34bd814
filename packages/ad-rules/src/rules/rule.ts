import type { MatchScene } from "../types/request.ts";

/**
 * A code never changes its meaning and is never used again: 1xx campaign, 2xx placement, 3xx targeting, 4xx money, 5xx
 * caps.
 */
export interface Reason {
  code: number;
  /** What holds when the check passes. */
  meaning: string;
}

/** The result of one check. */
export interface Check<Name extends string = string> {
  code: number;
  rule: Name;
  passed: boolean;
  /** A sentence that names the compared values. */
  detail: string;
}

/** Whether a check passes, and its sentence. */
export type Verdict = [passed: boolean, detail: string];

/** `from` is included, `before` is not; infinite without a bound. */
export interface NumberRange {
  from: number;
  before: number;
}

/** Admits requests with a number in the campaign's range. The index evaluates it for every campaign. */
export interface RangeRule<Campaign> {
  /** Null: admits every number, and requests without one. */
  rangeOf(campaign: Campaign): NumberRange | null;
  /** NaN: unknown, and in no range. */
  numberOf(scene: MatchScene): number;
}

/** The checks of a rule as `explain` states them. */
export interface Rule<Name extends string, Campaign, Request> {
  reasons: Readonly<Record<Name, Reason>>;
  /** One per reason, in their order. */
  checks(campaign: Campaign, request: Request): Check<Name>[];
  /** Absent: the index evaluates the rule by terms. */
  range?: RangeRule<Campaign> | undefined;
}

/** Declares the checks of a rule: each reason has a verdict. */
export function defineRule<Name extends string, Campaign, Request>(
  reasons: Readonly<Record<Name, Reason>>,
  verdicts: (campaign: Campaign, request: Request) => Record<Name, Verdict>,
  range?: RangeRule<Campaign>,
): Rule<Name, Campaign, Request> {
  const names = Object.keys(reasons) as Name[];
  return {
    reasons,
    range,
    checks(campaign, request) {
      const found = verdicts(campaign, request);
      return names.map((rule) => {
        const [passed, detail] = found[rule];
        return { code: reasons[rule].code, rule, passed, detail };
      });
    },
  };
}
