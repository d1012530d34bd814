/**
 * Every check that decides whether a campaign serves, in the order of docs/behaviour.md#eligibility. A code never changes its
 * meaning and is never used again: 1xx campaign, 2xx placement, 3xx targeting, 4xx money, 5xx caps.
 */
export const reasonCodes = {
  status: { code: 101, meaning: "The campaign is active." },
  start_date: { code: 102, meaning: "The campaign's start_date has come." },
  end_date: { code: 103, meaning: "The campaign's end_date has not passed." },
  placement_active: { code: 201, meaning: "The game's placement is active." },
  blocked_advertisers: { code: 202, meaning: "The placement does not block the advertiser." },
  blocked_categories: {
    code: 203,
    meaning:
      "The placement blocks none of the campaign's categories: its targets and its category affinities.",
  },
  placement_types: { code: 204, meaning: "The placement accepts the type of one of the creatives." },
  geo_excludes: { code: 301, meaning: "The player is in no place that the campaign excludes." },
  geo_includes: {
    code: 302,
    meaning: "The player is in a place that the campaign includes, if it includes any.",
  },
  blocked_keywords: { code: 303, meaning: "No keyword that the campaign blocks occurs in the context." },
  blocked_themes: { code: 304, meaning: "The theme is none that the campaign blocks." },
  blocked_context_categories: { code: 305, meaning: "The category is none that the campaign blocks." },
  blocked_actions: { code: 306, meaning: "No action is one that the campaign blocks." },
  blocked_games: { code: 307, meaning: "The game is none that the campaign blocks." },
  target_categories: { code: 308, meaning: "The category is one of the campaign's targets, if it has any." },
  target_tags: {
    code: 309,
    meaning: "One of the campaign's target tags occurs in the context, if it has any.",
  },
  balance: { code: 401, meaning: "The advertiser's balance covers the price." },
  budget: { code: 402, meaning: "The campaign's budget covers the price." },
  daily_cap: { code: 403, meaning: "The campaign's daily cap covers the price, if it has one." },
  max_ads_per_session: { code: 501, meaning: "The player session has room for another ad." },
  max_uses_per_game: {
    code: 502,
    meaning: "An accepted creative has appearances left in the player session.",
  },
} as const satisfies Record<string, { code: number; meaning: string }>;

/** Stable name of a check. */
export type CheckedRule = keyof typeof reasonCodes;

/** The result of one check. */
export interface Check {
  code: number;
  rule: CheckedRule;
  passed: boolean;
  /** A sentence that names the compared values. */
  detail: string;
}

export function check(rule: CheckedRule, passed: boolean, detail: string): Check {
  return { code: reasonCodes[rule].code, rule, passed, detail };
}
