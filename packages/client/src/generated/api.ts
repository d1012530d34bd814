// Generated from packages/contracts by `npm run generate:clients`. Do not edit.
// biome-ignore-all format: generated

/** An advertiser. */
export interface Advertiser {
  /** The advertiser, adv_… */
  id: string;
  /** Name of the company. */
  company_name: string;
  /** Where the advertiser is reached. */
  contact_email: string;
  /** The advertiser's website; null without one. */
  website: string | null;
  /** Deposits less spending, in whole cents, rounded down. */
  balance_cents: number;
  /** When the advertiser registered. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** Binds an advertiser profile to the account of the key. */
export interface Registration {
  /** Name of the company. */
  company_name: string;
  /** Where the advertiser is reached; unique among advertisers without regard to case. */
  contact_email: string;
  /** The advertiser's website: an absolute http or https address. */
  website?: string | null;
}

/** Changes the fields that it contains; null clears the website. */
export interface ProfileChanges {
  /** Name of the company. */
  company_name?: string;
  /** Where the advertiser is reached; unique among advertisers without regard to case. */
  contact_email?: string;
  /** The advertiser's website: an absolute http or https address. */
  website?: string | null;
}

/** Adds money to the advertiser's balance. */
export interface DepositRequest {
  /** What to add to the balance, in cents. */
  amount_cents: number;
}

/** A deposit that was made. */
export interface Deposit {
  /** The new balance in whole cents, rounded down. */
  balance_cents: number;
  /** What this deposit added, in cents. */
  deposited_cents: number;
}

/** A deposit of the past. */
export interface BookedDeposit {
  /** The deposit, dep_… */
  id: string;
  /** What was deposited, in cents. */
  amount_cents: number;
  /** When it was deposited. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** A campaign. */
export interface Campaign {
  /** The campaign, camp_… */
  id: string;
  /** Name of the campaign. */
  name: string;
  /** Only an active campaign is served. */
  status: "draft" | "active" | "paused";
  /** What the campaign may spend in all, in cents. */
  budget_cents: number;
  /** What the campaign has spent, in whole cents, rounded up. */
  spent_cents: number;
  /** What the campaign has spent. In millicents, exact: 1000 are a cent. */
  spent_millicents: number;
  /** The bid: what a thousand impressions cost, in cents. */
  cpm_bid_cents: number;
  /** What the campaign may spend in one UTC day, in cents; null: no cap. */
  daily_cap_cents: number | null;
  /** When serving begins, as it was given; null: at activation. */
  start_date: string | null;
  /** When serving ends, as it was given; null: when the budget is spent. */
  end_date: string | null;
  /** Higher is more likely to win ties, 0 to 10. */
  priority: number;
  /** Only games of one of these categories; empty: all. */
  target_categories: string[];
  /** Only scenes with one of these tags; empty: all. */
  target_tags: string[];
  /** When the campaign was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** A new campaign; it starts as a draft. */
export interface NewCampaign {
  /** Name of the campaign. */
  name: string;
  /** What the campaign may spend in all, in cents. */
  budget_cents: number;
  /** The bid: what a thousand impressions cost, in cents. */
  cpm_bid_cents: number;
  /** What the campaign may spend in one UTC day, in cents; null: no cap. */
  daily_cap_cents?: number | null;
  /** When serving begins; null: at activation. A date (the whole UTC day) or a time, in ISO 8601. */
  start_date?: string | null;
  /** When serving ends; null: when the budget is spent. A date (the whole UTC day) or a time, in ISO 8601. */
  end_date?: string | null;
  /** Higher is more likely to win ties. */
  priority?: number | null;
  /** Only games of one of these categories; empty: all. */
  target_categories?: string[] | null;
  /** Only scenes with one of these tags; empty: all. */
  target_tags?: string[] | null;
}

/** Changes the fields that it contains; null clears an optional field or sets it back to its default. */
export interface CampaignChanges {
  /** Name of the campaign. */
  name?: string;
  /** What the campaign may spend in all, in cents. */
  budget_cents?: number;
  /** The bid: what a thousand impressions cost, in cents. */
  cpm_bid_cents?: number;
  /** What the campaign may spend in one UTC day, in cents; null: no cap. */
  daily_cap_cents?: number | null;
  /** When serving begins; null: at activation. A date (the whole UTC day) or a time, in ISO 8601. */
  start_date?: string | null;
  /** When serving ends; null: when the budget is spent. A date (the whole UTC day) or a time, in ISO 8601. */
  end_date?: string | null;
  /** Higher is more likely to win ties. */
  priority?: number | null;
  /** Only games of one of these categories; empty: all. */
  target_categories?: string[] | null;
  /** Only scenes with one of these tags; empty: all. */
  target_tags?: string[] | null;
}

/** A new campaign with all that belongs to it. */
export interface NewWholeCampaign {
  /** Name of the campaign. */
  name: string;
  /** What the campaign may spend in all, in cents. */
  budget_cents: number;
  /** The bid: what a thousand impressions cost, in cents. */
  cpm_bid_cents: number;
  /** What the campaign may spend in one UTC day, in cents; null: no cap. */
  daily_cap_cents?: number | null;
  /** When serving begins; null: at activation. A date (the whole UTC day) or a time, in ISO 8601. */
  start_date?: string | null;
  /** When serving ends; null: when the budget is spent. A date (the whole UTC day) or a time, in ISO 8601. */
  end_date?: string | null;
  /** Higher is more likely to win ties. */
  priority?: number | null;
  /** Only games of one of these categories; empty: all. */
  target_categories?: string[] | null;
  /** Only scenes with one of these tags; empty: all. */
  target_tags?: string[] | null;
  /** true: the campaign is active at once; it needs a creative, and the balance must cover one impression. false: it is a draft. */
  activate?: boolean | null;
  /** Its creatives. */
  creatives?: NewCreative[] | null;
  /** Its geo targets. */
  geo_targets?: NewGeoTarget[] | null;
  /** Its blocklist rules. */
  blocklist?: NewBlocklistRule[] | null;
  /** Its affinities; of equal weights the earlier one wins. */
  affinities?: NewAffinity[] | null;
}

/** New campaigns. */
export interface NewCampaigns {
  /** Each is created whole or not at all, whatever becomes of the others. */
  campaigns: NewWholeCampaign[];
}

/** What became of the campaigns of a bulk request. */
export interface BulkResults {
  /** One for each campaign, in the order of the request. */
  results: ({
    /** 201: created. 400, 409 or 422: refused, as POST /campaigns, a call for one of its parts or its activation would. */
    status: number;
    campaign?: Campaign;
    /** What was wrong, which field it was and what is allowed. */
    error?: string;
  })[];
}

/** A creative. */
export interface Creative {
  /** The creative, crt_… */
  id: string;
  /** The campaign that it belongs to. */
  campaign_id: string;
  /** How the creative appears. */
  creative_type: "narrative_hook" | "product_mention" | "location_brand" | "character_reference";
  /** The brand. */
  brand_name: string;
  /** The product; null without one. */
  product_name: string | null;
  /** The tagline; null without one. */
  tagline: string | null;
  /** The text injected into the game; null without one. */
  narrative_hook: string | null;
  /** Alternative hooks; they rotate with narrative_hook. */
  alt_hooks: string[];
  /** The tone of the line. */
  tone: "positive" | "neutral" | "humorous" | "dramatic";
  /** How often the creative may appear in one game session, 1 to 20. */
  max_uses_per_game: number;
  /** How often it was seen. */
  impressions: number;
  /** When the creative was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** A new creative of a campaign. */
export interface NewCreative {
  /** How the creative appears; it cannot be changed later. */
  creative_type: "narrative_hook" | "product_mention" | "location_brand" | "character_reference";
  /** The brand. */
  brand_name: string;
  /** The product. */
  product_name?: string | null;
  /** The tagline. */
  tagline?: string | null;
  /** The text injected into the game; required for a creative of type narrative_hook. */
  narrative_hook?: string | null;
  /** Alternative hooks; they rotate with narrative_hook. */
  alt_hooks?: string[] | null;
  /** The tone of the line. */
  tone?: "positive" | "neutral" | "humorous" | "dramatic" | null;
  /** How often the creative may appear in one game session. */
  max_uses_per_game?: number | null;
}

/** Changes the fields that it contains; null clears an optional field or sets it back to its default. */
export interface CreativeChanges {
  /** The brand. */
  brand_name?: string;
  /** The product. */
  product_name?: string | null;
  /** The tagline. */
  tagline?: string | null;
  /** The text injected into the game; required for a creative of type narrative_hook. */
  narrative_hook?: string | null;
  /** Alternative hooks; they rotate with narrative_hook. */
  alt_hooks?: string[] | null;
  /** The tone of the line. */
  tone?: "positive" | "neutral" | "humorous" | "dramatic" | null;
  /** How often the creative may appear in one game session. */
  max_uses_per_game?: number | null;
}

/** A place that a campaign includes or excludes. The includes of a campaign combine with OR; an exclude that matches always wins. */
export interface GeoTarget {
  /** The geo target, geo_… */
  id: string;
  /** The campaign that it belongs to. */
  campaign_id: string;
  /** What the place is. */
  target_type: "country" | "state" | "city" | "radius";
  /** ISO 3166-1 alpha-2, upper case; null for a radius. */
  country_code: string | null;
  /** State or province code, as it was given; null without one. */
  state_code: string | null;
  /** City, as it was given; null without one. */
  city_name: string | null;
  /** Latitude of the centre, in degrees; null unless it is a radius. */
  lat: number | null;
  /** Longitude of the centre, in degrees; null unless it is a radius. */
  lng: number | null;
  /** Radius in kilometres; null unless it is a radius. */
  radius_km: number | null;
  /** Whether the campaign serves there, or is excluded. */
  include: boolean;
  /** When the geo target was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** A new geo target of a campaign. */
export interface NewGeoTarget {
  /** What the place is. A country needs country_code, a state also state_code, a city country_code and city_name (and takes state_code), a radius lat, lng and radius_km; fields of other types are not kept. */
  target_type: "country" | "state" | "city" | "radius";
  /** ISO 3166-1 alpha-2, in either case; kept in upper case. */
  country_code?: string | null;
  /** State or province code; compared without regard to case. */
  state_code?: string | null;
  /** City; compared without regard to case and accents. */
  city_name?: string | null;
  /** Latitude of the centre, in degrees. */
  lat?: number | null;
  /** Longitude of the centre, in degrees. */
  lng?: number | null;
  /** Radius in kilometres: from one metre to half of the earth's circumference. */
  radius_km?: number | null;
  /** true: the campaign serves there; false: it does not. */
  include?: boolean | null;
}

/** A value that excludes scenes which contain it. */
export interface BlocklistRule {
  /** The blocklist rule, blk_… */
  id: string;
  /** The campaign that it belongs to. */
  campaign_id: string;
  /** Where the value is sought: keyword in every text of the scene as whole words, theme, category and action in that field, game_id in the request's. */
  rule_type: "keyword" | "theme" | "category" | "action" | "game_id";
  /** The value to block, as it was given. */
  value: string;
  /** When the rule was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** A new blocklist rule of a campaign. */
export interface NewBlocklistRule {
  /** Where the value is sought: keyword in every text of the scene as whole words, theme, category and action in that field, game_id in the request's. */
  rule_type: "keyword" | "theme" | "category" | "action" | "game_id";
  /** The value to block. A keyword has a letter or digit; a game_id is compared exactly, all others without regard to case. */
  value: string;
}

/** A value that raises a campaign's score where the scene has it, and biases the rendering of the scene. */
export interface Affinity {
  /** The affinity, aff_… */
  id: string;
  /** The campaign that it belongs to. */
  campaign_id: string;
  /** Which part of the scene the value is compared with; lighting, effects and camera are sought in the narrative. */
  affinity_type: "action" | "location" | "theme" | "mood" | "category" | "lighting" | "effects" | "camera";
  /** The value that raises the score, as it was given. */
  affinity_value: string;
  /** What it adds to the score, from 0.1 (subtle) to 3.0 (strong). */
  weight: number;
  /** When the affinity was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** A new affinity of a campaign. */
export interface NewAffinity {
  /** Which part of the scene the value is compared with; lighting, effects and camera are sought in the narrative. */
  affinity_type: "action" | "location" | "theme" | "mood" | "category" | "lighting" | "effects" | "camera";
  /** The value that raises the score where the scene has it; free text. One of lighting, effects or camera has a letter or digit, since it is sought as whole words. */
  affinity_value: string;
  /** What it adds to the score, from 0.1 (subtle) to 3.0 (strong). */
  weight?: number | null;
}

/** Replaces all affinities of a campaign, or none when one of them is not valid. */
export interface NewAffinities {
  /** All affinities that the campaign has from now on; of equal weights the earlier one wins. */
  affinities: NewAffinity[];
}

/** A scene to try the campaign in. */
export interface Simulation {
  /** What the scene is about; taken as its narrative, theme, location and action. */
  narrative_function?: string | null;
  /** The mood of the scene: one of the proposed moods or any other. */
  mood?: string | null;
}

/** What the campaign would bring into the scene. Nothing was held, counted or billed. */
export interface SimulationResult {
  /** The campaign. */
  campaign_id: string;
  /** The creative that a new player session would see first. */
  matched_creative: {
    /** The creative, crt_… */
    id: string;
    /** The line that a new player session would read first: never empty. */
    narrative_hook: string;
    /** How the creative appears. */
    creative_type: "narrative_hook" | "product_mention" | "location_brand" | "character_reference";
  };
  biased_pipeline: BiasedPipeline;
  /** For each affinity type that the campaign has, the sum of what its affinities contribute; 0 where none does. */
  affinity_scores: Record<string, number>;
  /** The sum of affinity_scores: the affinity score that a match in this scene would have. */
  total_score: number;
}

/** What can be tried in the simulator. */
export interface SimulationOptions {
  /** Moods to try; others are allowed. */
  moods: string[];
  /** Texts to try as narrative_function; those that the campaign's affinities answer to come first. */
  narrative_examples: string[];
  /** The campaign's affinities in the order of their creation. */
  current_affinities: ({
    /** Which part of the scene the value is compared with. */
    affinity_type: "action" | "location" | "theme" | "mood" | "category" | "lighting" | "effects" | "camera";
    /** The value that raises the score. */
    affinity_value: string;
    /** What it adds to the score. */
    weight: number;
  })[];
}

/** Why the campaign would or would not serve the request. Nothing was served, held or billed. */
export interface Explanation {
  /** The campaign. */
  campaign_id: string;
  /** Every check passes, and the rank is within 1 % of the highest. */
  would_serve: boolean;
  /** Every rule in the order of matching, also after one has failed. */
  checks: ({
    /** Stable number of the rule: 1xx campaign, 2xx placement, 3xx targeting, 4xx money, 5xx caps. */
    code: number;
    /** Stable name of the rule. */
    rule: "status" | "start_date" | "end_date" | "placement_active" | "blocked_advertisers" | "blocked_categories" | "placement_types" | "geo_excludes" | "geo_includes" | "blocked_keywords" | "blocked_themes" | "blocked_context_categories" | "blocked_actions" | "blocked_games" | "target_categories" | "target_tags" | "balance" | "budget" | "daily_cap" | "max_ads_per_session" | "max_uses_per_game";
    /** Whether the campaign passes the rule. */
    passed: boolean;
    /** The compared values. */
    detail: string;
  })[];
  /** Sum of the contributions of the campaign's affinities to this scene. */
  affinity_score: number;
  /** One entry for each affinity of the campaign, zeros included. */
  affinity_parts: ({
    /** The affinity, aff_… */
    affinity_id: string;
    /** Which part of the scene the value is compared with. */
    affinity_type: "action" | "location" | "theme" | "mood" | "category" | "lighting" | "effects" | "camera";
    /** The value. */
    affinity_value: string;
    /** Its weight, half its weight where it was only found in the narrative, or 0. */
    contribution: number;
  })[];
  /** cpm_bid_cents × (1 + affinity_score ÷ (1 + affinity_score)), to six decimals of the factor: the highest rank wins. */
  rank: number;
  /** The best rank among the other candidates; null when there is none. When none of the 64 highest can serve, that of the next one. */
  winning_rank: number | null;
  /** One sentence: why the campaign would or would not serve. */
  summary: string;
  /** The lowest cpm_bid_cents with which the campaign would serve, everything else being equal; null when no bid would do: another rule fails, its money does not cover such a bid, or the bid would be out of range. */
  bid_to_win_cents: number | null;
  /** Whether the player session was taken as new, because the game belongs to another account. */
  session_counts_as_new: boolean;
}

/** Results of a campaign so far. */
export interface CampaignStats {
  /** The campaign. */
  campaign_id: string;
  /** Impressions so far. */
  impressions: number;
  /** Players who have seen the campaign, each counted once. */
  unique_users: number;
  /** Games in which the campaign was seen, each counted once. */
  unique_games: number;
  /** Spending of the campaign, in whole cents, rounded up. */
  spent_cents: number;
  /** Spending of the campaign. In millicents, exact: 1000 are a cent. */
  spent_millicents: number;
  /** Total budget of the campaign, in cents. */
  budget_cents: number;
  /** What a thousand impressions have cost, in cents, half up; 0 without impressions. */
  effective_cpm_cents: number;
  /** Mean affinity score of the impressions, to four decimals; 0 without impressions. */
  avg_affinity_score: number;
  /** The creative with the most impressions; null without impressions. */
  top_creative_id: string | null;
  /** The game with the most impressions; null without impressions. */
  top_game_id: string | null;
}

/** Results of a campaign by day. */
export interface DailyAnalytics {
  /** The campaign. */
  campaign_id: string;
  /** One row per UTC day, newest first, days without impressions included. */
  days: ({
    /** The day. A UTC day, YYYY-MM-DD. */
    date: string;
    /** Impressions of the day. */
    impressions: number;
    /** Players who have seen it, each counted once. */
    unique_users: number;
    /** Cost of the impressions, in whole cents, half up. */
    spent_cents: number;
    /** Cost of the impressions. In millicents, exact: 1000 are a cent. */
    spent_millicents: number;
    /** Mean affinity score of the impressions, to four decimals; 0 without impressions. */
    avg_affinity_score: number;
  })[];
}

/** Results of a campaign's creatives. */
export interface CreativeAnalytics {
  /** The campaign. */
  campaign_id: string;
  /** Every creative, deleted ones only if they had impressions; most impressions first, then by identifier. */
  creatives: ({
    /** The creative. */
    creative_id: string;
    /** How the creative appears in a game. */
    creative_type: "narrative_hook" | "product_mention" | "location_brand" | "character_reference";
    /** The brand that the creative names. */
    brand_name: string;
    /** Impressions of the creative. */
    impressions: number;
    /** Players who have seen it, each counted once. */
    unique_users: number;
    /** Cost of the impressions, in whole cents, half up. */
    spent_cents: number;
    /** Cost of the impressions. In millicents, exact: 1000 are a cent. */
    spent_millicents: number;
    /** Mean affinity score of the impressions, to four decimals; 0 without impressions. */
    avg_affinity_score: number;
  })[];
}

/** Where a campaign was seen. */
export interface GeoAnalytics {
  /** The campaign. */
  campaign_id: string;
  /** Most impressions first, then by code; the unknown country comes last. */
  countries: ({
    /** ISO 3166-1 alpha-2, upper case; null: the place is unknown. */
    country_code: string | null;
    /** Impressions in the country. */
    impressions: number;
    /** Players who have seen it, each counted once. */
    unique_users: number;
    /** Cost of the impressions, in whole cents, half up. */
    spent_cents: number;
    /** Cost of the impressions. In millicents, exact: 1000 are a cent. */
    spent_millicents: number;
  })[];
}

/** Results of a campaign by game. */
export interface GameAnalytics {
  /** The campaign. */
  campaign_id: string;
  /** Matches in all games that may still be seen: each holds its price now. */
  open_holds: number;
  /** Most matches first, then by identifier; also games without an impression. Counts of the last hours start anew when Redis loses its data. */
  games: GameAnalyticsRow[];
}

/** A game in which the campaign was matched. */
export interface GameAnalyticsRow {
  /** The game; null: games beyond about the first thousand of an hour, or the first hundred of a developer, all together. */
  game_id: string | null;
  /** Matches in the last 24 whole hours (UTC), the current one included. */
  matches: number;
  /** Impressions in the same hours. */
  impressions: number;
  /** Impressions by match in these hours, to four decimals; 0 without any. */
  seen_rate: number;
  /** Cost of the impressions, in whole cents, half up. */
  spent_cents: number;
  /** Cost of the impressions. In millicents, exact: 1000 are a cent. */
  spent_millicents: number;
  /** Held now for matches that may still be seen, in whole cents, half up. */
  held_cents: number;
  /** Held now, as `held_cents`. In millicents, exact: 1000 are a cent. */
  held_millicents: number;
}

/** Results of a campaign's affinities. */
export interface AffinityAnalytics {
  /** The campaign. */
  campaign_id: string;
  /** Every affinity in the order of creation. */
  affinities: ({
    /** The affinity. */
    affinity_id: string;
    /** Which part of the scene the value is compared with. */
    affinity_type: "action" | "location" | "theme" | "mood" | "category" | "lighting" | "effects" | "camera";
    /** The value that raises the score, as it was given. */
    affinity_value: string;
    /** What it adds to the score. */
    weight: number;
    /** The part of the campaign's impressions that the affinity contributed to, of those matched since it was created; four decimals, 0 without any. */
    match_rate: number;
    /** What it added to the score on average, where it added something; four decimals, 0 where it never did. */
    avg_score_contribution: number;
    /** Impressions that the affinity contributed to. */
    impressions_influenced: number;
  })[];
}

/** How a campaign spends its budget over time. */
export interface Pacing {
  /** The campaign. */
  campaign_id: string;
  /** Total budget of the campaign, in cents. */
  budget_cents: number;
  /** Spending of the campaign, in whole cents, rounded up. */
  spent_cents: number;
  /** Spending of the campaign. In millicents, exact: 1000 are a cent. */
  spent_millicents: number;
  /** Remaining budget, in whole cents, rounded down. */
  remaining_cents: number;
  /** Most that may be spent on one UTC day, in cents; null: no cap. */
  daily_cap_cents: number | null;
  /** Spending on the current UTC day, in whole cents, rounded up. */
  today_spent_cents: number;
  /** Spending on the current UTC day. In millicents, exact: 1000 are a cent. */
  today_spent_millicents: number;
  /** What today's cap and the budget both still allow, in whole cents, rounded down. */
  today_remaining_cents: number;
  /** UTC days since the first activation, today included; null: never activated. */
  days_active: number | null;
  /** Spent per UTC day since the first activation, today included; in cents, half up. */
  avg_daily_spend_cents: number;
  /** When the budget will be spent at this average, 9999-12-31 at the latest. A UTC day, YYYY-MM-DD. */
  projected_exhaustion_date: string | null;
  /** Whole days until then; null while nothing is spent. */
  days_remaining: number | null;
  /** The first that holds: never activated or before the start; nothing left for one more impression, neither of the budget nor of the advertiser's balance; today's cap reached; more than 110 %, less than 90 % of what should be spent by now, which after the end of a flight is the whole budget; else on pace. */
  pacing_status: "not_started" | "exhausted" | "capped_today" | "over_pacing" | "under_pacing" | "on_pace";
  /** The part of the budget that is spent, in percent, to four decimals. */
  utilization_pct: number;
}

/** What all campaigns of the advertiser have spent, day by day. */
export interface AccountDaily {
  /** The last days with today, newest first, days without impressions included. */
  days: SpendDay[];
  today: SpendSum;
  month_to_date: SpendSum;
  total: SpendSum;
}

/** One day of the account. */
export interface SpendDay {
  /** The day. A UTC day, YYYY-MM-DD. */
  date: string;
  /** Impressions of the day. */
  impressions: number;
  /** What they have cost. In millicents, exact: 1000 are a cent. */
  spent_millicents: number;
}

/** Impressions and what they have cost. */
export interface SpendSum {
  /** Impressions. */
  impressions: number;
  /** What they have cost. In millicents, exact: 1000 are a cent. */
  spent_millicents: number;
}

/** What impressions of a period have cost, summed up. */
export interface Spend {
  /** The first day of the period. A UTC day, YYYY-MM-DD. */
  from: string;
  /** The last day of the period. A UTC day, YYYY-MM-DD. */
  to: string;
  total: SpendSum;
  /** Newest day first, then by campaign, creative and country. */
  rows: SpendRow[];
}

/** What one group of impressions has cost; fields that are not grouped by are left out. */
export interface SpendRow {
  /** The day. A UTC day, YYYY-MM-DD. */
  date?: string;
  /** The campaign. */
  campaign_id?: string;
  /** Name of the campaign. */
  campaign_name?: string;
  /** The creative. */
  creative_id?: string;
  /** The brand of the creative. */
  brand_name?: string;
  /** ISO 3166-1 alpha-2, upper case; null: the place is unknown. */
  country_code?: string | null;
  /** Impressions. */
  impressions: number;
  /** What they have cost. In millicents, exact: 1000 are a cent. */
  spent_millicents: number;
}

/** The campaigns of the advertiser with what they did lately. */
export interface CampaignSeriesList {
  /** The days of every series, oldest first. */
  dates: string[];
  /** The campaigns, newest first. */
  campaigns: CampaignSeries[];
}

/** A campaign with its last days. */
export interface CampaignSeries {
  /** The campaign. */
  campaign_id: string;
  /** Name of the campaign. */
  name: string;
  /** Only an active campaign is served. */
  status: "draft" | "active" | "paused";
  /** What the campaign may spend in all, in cents. */
  budget_cents: number;
  /** The bid: what a thousand impressions cost, in cents. */
  cpm_bid_cents: number;
  /** What it may spend on one UTC day, in cents; null: no cap. */
  daily_cap_cents: number | null;
  /** When it ends, as it was given; null: no end. */
  end_date: string | null;
  /** What the campaign has spent. In millicents, exact: 1000 are a cent. */
  spent_millicents: number;
  /** What the campaign should have spent by now, at most its budget; the pacing status also counts what the daily cap allows beyond it. Null before its start, and with neither both dates nor a daily cap. In millicents, exact: 1000 are a cent. */
  expected_spend_millicents: number | null;
  /** Impressions so far. */
  impressions: number;
  /** Creatives in use. */
  creatives: number;
  /** As in the pacing of the campaign. */
  pacing_status: "not_started" | "exhausted" | "capped_today" | "over_pacing" | "under_pacing" | "on_pace";
  /** When the budget is spent at the average of the days so far; null without spend. A UTC day, YYYY-MM-DD. */
  projected_exhaustion_date: string | null;
  /** One amount for each of the dates. */
  daily_spent_millicents: number[];
  /** One number for each of the dates. */
  daily_impressions: number[];
}

/** The ledger of an advertiser. */
export interface Ledger {
  /** One row per day, from the oldest to the newest, days on which nothing happened included. */
  days: ({
    /** The day. A UTC day, YYYY-MM-DD. */
    date: string;
    /** Balance before the day. In cents, exact, with up to three decimals. */
    opening_balance_cents: number;
    /** What was deposited on the day. In cents, exact, with up to three decimals. */
    deposits_cents: number;
    /** What the impressions of the day cost. In cents, exact, with up to three decimals. */
    charges_cents: number;
    /** Impressions of the day. */
    impressions: number;
    /** Opening balance and deposits less charges. In cents, exact, with up to three decimals. */
    closing_balance_cents: number;
  })[];
  /** Current totals over all time. */
  totals: {
    /** Everything that was ever deposited: the sum of the next three. In cents, exact, with up to three decimals. */
    deposits_cents: number;
    /** What is free for new matches. In cents, exact, with up to three decimals. */
    balance_cents: number;
    /** Money held for unseen matches, and for impressions that are not in the ledger yet. In cents, exact, with up to three decimals. */
    held_cents: number;
    /** What all impressions have cost: the sum over the campaigns. In cents, exact, with up to three decimals. */
    spent_cents: number;
    /** All impressions. */
    impressions: number;
  };
}

/** Ads in a game. */
export interface Placement {
  /** The developer's own identifier of the game. */
  game_id: string;
  /** The developer's own user ID, as it was given. */
  creator_id: string;
  /** The creative types that the game accepts. */
  placement_types: ("narrative_hook" | "product_mention" | "location_brand" | "character_reference")[];
  /** The developer's share, in percent. */
  revenue_share_pct: number;
  /** How many ads one player session may see, 1 to 50. */
  max_ads_per_session: number;
  /** Advertisers that are never shown in the game. */
  blocked_advertisers: string[];
  /** Categories of advertising that are never shown in the game. */
  blocked_categories: string[];
  /** Whether the game receives ads. */
  is_active: boolean;
  /** When the placement was first created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** Enables ads in a game. In a game that exists, optional fields left out keep their value and `null` sets the default. */
export interface NewPlacement {
  /** The developer's own user ID; stored as given. */
  creator_id: string;
  /** The creative types that the game accepts. */
  placement_types: ("narrative_hook" | "product_mention" | "location_brand" | "character_reference")[];
  /** The developer's share of each charge, in percent. */
  revenue_share_pct?: number | null;
  /** How many ads one player session may see. */
  max_ads_per_session?: number | null;
  /** Advertisers that are never shown in the game. */
  blocked_advertisers?: string[] | null;
  /** Categories of advertising that are never shown in the game: compared with the target_categories and the affinities to a category of each campaign, without regard to case and surrounding space. */
  blocked_categories?: string[] | null;
}

/** Changes the fields that it contains; null sets an optional field back to its default. */
export interface PlacementChanges {
  /** The creative types that the game accepts. */
  placement_types?: ("narrative_hook" | "product_mention" | "location_brand" | "character_reference")[];
  /** The developer's share of each charge, in percent. */
  revenue_share_pct?: number | null;
  /** How many ads one player session may see. */
  max_ads_per_session?: number | null;
  /** Advertisers that are never shown in the game. */
  blocked_advertisers?: string[] | null;
  /** Categories of advertising that are never shown in the game: compared with the target_categories and the affinities to a category of each campaign, without regard to case and surrounding space. */
  blocked_categories?: string[] | null;
}

/** What the advertiser has spent. */
export interface AdvertiserRevenue {
  /** What all campaigns have spent, in whole cents, rounded up. */
  total_spent_cents: number;
  /** What all campaigns have spent: the sum of the rows. In millicents, exact: 1000 are a cent. */
  total_spent_millicents: number;
  /** Impressions of all campaigns. */
  total_impressions: number;
  /** How many campaigns are active. */
  active_campaigns: number;
  /** What is left of the deposits, in whole cents, rounded down. */
  balance_cents: number;
  /** All campaigns, newest first. */
  campaigns: ({
    /** The campaign. */
    campaign_id: string;
    /** Name of the campaign. */
    name: string;
    /** What the campaign has spent, in whole cents, rounded up. */
    spent_cents: number;
    /** What the campaign has spent. In millicents, exact: 1000 are a cent. */
    spent_millicents: number;
    /** Impressions so far. */
    impressions: number;
    /** Only an active campaign is served. */
    status: "draft" | "active" | "paused";
  })[];
}

/** What the developer has earned. */
export interface CreatorRevenue {
  /** What all games have earned, in whole cents, rounded down. */
  total_earned_cents: number;
  /** What all games have earned: the sum of the rows. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  total_earned_microcents: number;
  /** Impressions in all games. */
  total_impressions: number;
  /** How many games the account has. */
  games_count: number;
  /** All games, most impressions first, then by identifier. */
  games: ({
    /** The game. */
    game_id: string;
    /** What the game has earned, in whole cents, rounded down. */
    earned_cents: number;
    /** What the game has earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
    earned_microcents: number;
    /** Impressions in the game. */
    impressions: number;
    /** The developer's current share, in percent. */
    revenue_share_pct: number;
  })[];
}

/** What one game has earned. */
export interface GameRevenue {
  /** The game. */
  game_id: string;
  /** What the game has earned, in whole cents, rounded down. */
  earned_cents: number;
  /** What the game has earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  earned_microcents: number;
  /** Impressions in the game. */
  impressions: number;
  /** The developer's current share, in percent. */
  revenue_share_pct: number;
  /** The advertisers seen in the game, most impressions first, then by identifier; at most 10. */
  top_advertisers: ({
    /** The advertiser. */
    advertiser_id: string;
    /** Its impressions in the game. */
    impressions: number;
    /** What they have earned, in whole cents, rounded down. */
    earned_cents: number;
    /** What they have earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
    earned_microcents: number;
  })[];
  /** The last 30 UTC days with today, newest first, days without impressions included. */
  daily: ({
    /** The day. A UTC day, YYYY-MM-DD. */
    date: string;
    /** Impressions in the game on that day. */
    impressions: number;
    /** What they have earned, in whole cents, rounded down. */
    earned_cents: number;
    /** What they have earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
    earned_microcents: number;
  })[];
}

/** An advertiser seen in the game, as a developer recognises it. */
export interface GameAdvertiser {
  /** The advertiser: what a placement's blocked_advertisers takes. */
  advertiser_id: string;
  /** Name of the company. */
  company_name: string;
  /** Brands of its campaigns that were seen in the game, newest first; at most 5. */
  brand_names: string[];
  /** Lines of these campaigns, newest first; at most 3. */
  recent_lines: string[];
  /** Its impressions in the game. */
  impressions: number;
  /** What they have earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  earned_microcents: number;
  /** Whether the placement blocks the advertiser now. */
  is_blocked: boolean;
}

/** What the games have earned day by day. */
export interface Earnings {
  /** The first day of the period. A UTC day, YYYY-MM-DD. */
  from: string;
  /** The last day of the period. A UTC day, YYYY-MM-DD. */
  to: string;
  total: EarningsSum;
  /** Days on which a game has earned something, newest first, then by game. */
  rows: GameDay[];
}

/** What a period has earned. */
export interface EarningsSum {
  /** Impressions. */
  impressions: number;
  /** What they have earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  earned_microcents: number;
}

/** What one game has earned on one day. */
export interface GameDay {
  /** The day. A UTC day, YYYY-MM-DD. */
  date: string;
  /** The game. */
  game_id: string;
  /** Impressions in the game on that day. */
  impressions: number;
  /** What they have earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  earned_microcents: number;
}

/** What the games have earned from each advertiser. */
export interface EarningsByAdvertiser {
  /** The first day of the period. A UTC day, YYYY-MM-DD. */
  from: string;
  /** The last day of the period. A UTC day, YYYY-MM-DD. */
  to: string;
  total: EarningsSum;
  /** Every advertiser ever seen in the games, most earned in the period first, then most earned of all, then by identifier. */
  rows: AdvertiserEarnings[];
}

/** What the games have earned from one advertiser. */
export interface AdvertiserEarnings {
  /** The advertiser; null: unknown, for impressions that were dropped before earnings were kept by advertiser and day. */
  advertiser_id: string | null;
  /** Name of the company; null: unknown. */
  company_name: string | null;
  /** Brands of its campaigns that were seen in the games, newest first; at most 5. */
  brand_names: string[];
  /** Its impressions in the period. */
  impressions: number;
  /** What they have earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  earned_microcents: number;
  /** What all its impressions have earned, in the period and at any other time; null: unknown. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  total_earned_microcents: number | null;
}

/** How the integration of the account's games is doing. Statistics, up to two seconds old; no bill depends on them. */
export interface Traffic {
  /** When any key of the account last called /match or /impressions; null: none that is remembered. ISO 8601 in UTC with milliseconds. */
  last_call_at: string | null;
  /** Errors of the last 24 hours, also of calls that named no game, most frequent first. */
  errors: CallErrors[];
  /** The games of the account, by identifier. */
  games: GameTraffic[];
}

/** One kind of error that the account's calls were answered. */
export interface CallErrors {
  /** Which call was refused or failed. */
  operation: "match" | "impressions";
  /** The status of the answer. */
  status: number;
  /** How often in the last 24 hours. */
  count: number;
  /** When it happened last; null: none that is remembered. ISO 8601 in UTC with milliseconds. */
  last_at: string | null;
}

/** How a game's integration is doing. */
export interface GameTraffic {
  /** The game. */
  game_id: string;
  /** Whether the game receives ads. */
  is_active: boolean;
  /** How far the integration has come: waiting for a first call; requested, but no ad yet; matched; shown: an impression was accepted; billed: it is in the ledger. */
  stage: "waiting" | "requested" | "matched" | "shown" | "billed";
  /** When the game last asked for an ad; null: none that is remembered. ISO 8601 in UTC with milliseconds. */
  last_request_at: string | null;
  /** When it last got one; null: none that is remembered. ISO 8601 in UTC with milliseconds. */
  last_match_at: string | null;
  /** When an impression was last accepted; null: none that is remembered. ISO 8601 in UTC with milliseconds. */
  last_impression_at: string | null;
  /** Match requests of the last 24 hours that were answered. */
  requests: number;
  /** How many of them got an ad. */
  matches: number;
  /** Impressions of the last 24 hours that were accepted. */
  impressions: number;
  /** Calls of the last 24 hours that were refused or failed after the game was known. */
  errors: number;
  /** All billed impressions of the game. */
  billed_impressions: number;
  /** What they have earned. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  earned_microcents: number;
}

/** The calls of a game over time. Statistics, up to two seconds old; no bill depends on them. */
export interface TrafficSeries {
  /** The game. */
  game_id: string;
  /** What one point stands for. */
  unit: "hour" | "day";
  /** Oldest first; hours and days without calls are zeros. */
  points: TrafficPoint[];
}

/** The calls of one hour or one UTC day. */
export interface TrafficPoint {
  /** When the hour or the UTC day began. ISO 8601 in UTC with milliseconds. */
  start: string;
  /** Match requests that were answered. */
  requests: number;
  /** How many of them got an ad. */
  matches: number;
  /** Impressions that were accepted. */
  impressions: number;
  /** Requests that got no ad, by the reason that X-No-Match-Reason named. */
  no_match: Record<string, number>;
  /** Calls that were refused or failed, by operation and status, such as match_429. */
  errors: Record<string, number>;
}

/** A scene that got no ad. Neither the player nor the session is kept. */
export interface NoMatchScene {
  /** The game. */
  game_id: string;
  /** When the game asked. ISO 8601 in UTC with milliseconds. */
  at: string;
  /** Why there was no ad, as X-No-Match-Reason named it. */
  reason: string;
  /** Where the player was, ISO 3166-1 alpha-2; null: unknown. Nothing more precise is kept. */
  country_code: string | null;
  game_context: SceneContext;
}

/** The scene as the game sent it; what was left out then is left out here. */
export interface SceneContext {
  /** Theme of the scene. */
  theme_id?: string;
  /** Category of the game. */
  category?: string;
  /** What happens in the scene, cut at 500 characters. */
  narrative?: string;
  /** Moods of the scene. */
  mood_tags?: string[];
  /** Where the scene takes place. */
  location?: string;
  /** What the characters do. */
  actions?: string[];
}

/** The words of a game's scenes beside those that campaigns target. */
export interface GameWords {
  /** The game. */
  game_id: string;
  /** Words that the game sends, most frequent first; at most 300. */
  sent: SentWord[];
  /** Words that active campaigns of at least three advertisers target, or the caller's own, and the game never sent; at most 100. */
  unsent: UnsentWord[];
}

/** A word that the game sends. */
export interface SentWord {
  /** The field of the scene that has it. */
  type: "theme" | "category" | "mood" | "location" | "action";
  /** The word, in lower case. */
  value: string;
  /** Sampled scenes of this month and the last one that have it. */
  scenes: number;
  /** Whether active campaigns of at least three advertisers, or of the caller, target it by an affinity, a category or a tag. */
  is_targeted: boolean;
}

/** A word that campaigns target and the game does not send. */
export interface UnsentWord {
  /** The field of the scene in which campaigns look for it; a tag may be in any. */
  type: "theme" | "category" | "mood" | "location" | "action" | "tag";
  /** The word, in lower case. */
  value: string;
}

/** A word that games send. */
export interface MarketWord {
  /** The field of scenes that has it. */
  type: "theme" | "category" | "mood" | "location" | "action";
  /** The word, in lower case. */
  value: string;
  /** Games that send it. */
  games: number;
  /** Sampled scenes of this month and the last one that have it. */
  scenes: number;
}

/** Asks for the best matching ad. Blank optional texts, also in lists, count as absent, whatever their schemas say. */
export interface MatchRequest {
  /** The developer's own identifier of the game; compared exactly, no control characters. */
  game_id: string;
  /** The player; used for frequency capping and stored only as a keyed hash. */
  user_id: string;
  player_geo?: PlayerGeo;
  game_context: GameContext;
  /** The player session, for frequency capping within it. */
  session_id?: string | null;
}

/** Where the player is. Taken only from here, never from the caller's address. */
export type PlayerGeo = {
  /** ISO 3166-1 alpha-2, in either case. */
  country_code?: string | null;
  /** State or province code. */
  state_code?: string | null;
  /** City. */
  city_name?: string | null;
  /** Latitude in degrees; only together with lng. */
  lat?: number | null;
  /** Longitude in degrees; only together with lat. */
  lng?: number | null;
} | null;

/** The scene that is being generated. */
export interface GameContext {
  /** Theme of the scene. */
  theme_id?: string | null;
  /** Category of the game. */
  category?: string | null;
  /** What happens in the scene. */
  narrative?: string | null;
  /** Moods of the scene; blank entries are ignored. */
  mood_tags?: string[] | null;
  /** Where the scene takes place. */
  location?: string | null;
  /** What the characters do; blank entries are ignored. */
  actions?: string[] | null;
}

/** The ad to place in the scene. */
export interface MatchResult {
  /** Identifies this match; an impression may name it. */
  match_id: string;
  /** The campaign that won. */
  campaign_id: string;
  /** The advertiser, adv_…; a placement can block it. */
  advertiser_id: string;
  /** The creative to show. */
  creative_id: string;
  /** The line to insert: never empty. */
  narrative_hook: string;
  /** How the creative appears. */
  creative_type: "narrative_hook" | "product_mention" | "location_brand" | "character_reference";
  /** The brand. */
  brand_name: string;
  /** The product; null without one. */
  product_name: string | null;
  /** The tagline; null without one. */
  tagline: string | null;
  /** The tone of the line. */
  tone: "positive" | "neutral" | "humorous" | "dramatic";
  biased_pipeline: BiasedPipeline;
  /** Sum of the weights of the campaign's affinities that the scene satisfies. */
  affinity_score: number;
  /** The bid: what a thousand impressions cost, in cents. */
  cpm_bid_cents: number;
}

/** Overrides for the scene renderer: lighting, effects, camera, mood and location, where set. */
export type BiasedPipeline = Record<string, string>;

/** Records that a player has seen a matched ad: the billing event. */
export interface ImpressionRequest {
  /** The campaign of the match. */
  campaign_id: string;
  /** The creative of the match. */
  creative_id: string;
  /** The developer's own identifier of the game; compared exactly, no control characters. */
  game_id: string;
  /** The match that was seen; without it the oldest unbilled one of this creative in this game. */
  match_id?: string | null;
}

/** A billed impression. */
export interface ImpressionRecord {
  /** The impression. */
  impression_id: string;
  /** The campaign that was charged. */
  campaign_id: string;
  /** The creative that was seen. */
  creative_id: string;
  /** The game in which it was seen. */
  game_id: string;
  /** The charge, in cents; exact, can be fractional. */
  charged_cents: number;
  /** When it was recorded. ISO 8601 in UTC with milliseconds. */
  recorded_at: string;
}

/** An API key that is in force, without the key itself. */
export interface ApiKey {
  /** The key's identifier, key_…; it is not the key. */
  id: string;
  /** The first characters of the key, by which its owner tells keys apart. */
  prefix: string;
  /** The owner's name for the key. */
  label: string;
  /** What the key may be used for. */
  scopes: ("advertiser" | "developer" | "serving")[];
  /** Requests per minute in each endpoint group; null: the defaults of the service; 2147483647: no limit. */
  rate_limit_per_minute: number | null;
  /** When the key was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
  /** The user who made the key, usr_…, signed in or by an earlier key; null: a command did. */
  created_by_user_id: string | null;
  /** When the key was last used, to the minute; null: not yet. ISO 8601 in UTC with milliseconds. */
  last_used_at: string | null;
  /** When the key ends, such as after a rotation; null: never. ISO 8601 in UTC with milliseconds. */
  expires_at: string | null;
}

/** A new API key, with the key itself. */
export interface CreatedApiKey {
  /** The key's identifier, key_…; it is not the key. */
  id: string;
  /** The first characters of the key, by which its owner tells keys apart. */
  prefix: string;
  /** The owner's name for the key. */
  label: string;
  /** What the key may be used for. */
  scopes: ("advertiser" | "developer" | "serving")[];
  /** Requests per minute in each endpoint group; null: the defaults of the service; 2147483647: no limit. */
  rate_limit_per_minute: number | null;
  /** When the key was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
  /** The user who made the key, usr_…, signed in or by an earlier key; null: a command did. */
  created_by_user_id: string | null;
  /** When the key was last used, to the minute; null: not yet. ISO 8601 in UTC with milliseconds. */
  last_used_at: string | null;
  /** When the key ends, such as after a rotation; null: never. ISO 8601 in UTC with milliseconds. */
  expires_at: string | null;
  /** The key itself, igk_…: only its SHA-256 is stored, so that it cannot be looked up later. A retry with the same Idempotency-Key shows it again for 24 hours. */
  key: string;
}

/** A new API key of the caller's account. */
export interface NewApiKey {
  /** The owner's name for the key. */
  label: string;
  /** What the key may be used for: only scopes of the calling key; all of them when left out. */
  scopes?: ("advertiser" | "developer" | "serving")[] | null;
  /** Requests per minute in each endpoint group. At most what the calling key has in every group that the new key's scopes can use: its own limit, or the service's default for the group, so that a key that only serves may have 1000, one with analytics 60. When left out, the calling key's own limit, or the defaults. A key without any limit comes from the operator alone and passes that on to no other. */
  rate_limit_per_minute?: number | null;
}

/** Replaces a key by a new one with the same label, scopes and limit. */
export interface ApiKeyRotation {
  /** How long the old key stays valid, in seconds; 0: it is revoked at once. */
  overlap_seconds?: number | null;
}

/** A webhook, without its secret. */
export interface Webhook {
  /** The webhook's identifier, whk_…. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** The events that are sent. */
  events: ("campaign.exhausted" | "campaign.ended" | "balance.low" | "holds.expiry_rate_high" | "payout.figures_ready")[];
  /** The owner's words for the webhook. */
  description: string | null;
  /** Whether events are recorded and sent. */
  is_active: boolean;
  /** Threshold of balance.low, in cents. */
  balance_low_cents: number;
  /** Threshold of holds.expiry_rate_high, in percent. */
  hold_expiry_percent: number;
  /** Fewer matches in the last hour never cause holds.expiry_rate_high. */
  hold_expiry_min_matches: number;
  /** Until when the former secret signs as well; null: there is one secret. ISO 8601 in UTC with milliseconds. */
  previous_secret_expires_at: string | null;
  /** When the webhook was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** A webhook with its new secret. */
export interface WebhookWithSecret {
  /** The webhook's identifier, whk_…. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** The events that are sent. */
  events: ("campaign.exhausted" | "campaign.ended" | "balance.low" | "holds.expiry_rate_high" | "payout.figures_ready")[];
  /** The owner's words for the webhook. */
  description: string | null;
  /** Whether events are recorded and sent. */
  is_active: boolean;
  /** Threshold of balance.low, in cents. */
  balance_low_cents: number;
  /** Threshold of holds.expiry_rate_high, in percent. */
  hold_expiry_percent: number;
  /** Fewer matches in the last hour never cause holds.expiry_rate_high. */
  hold_expiry_min_matches: number;
  /** Until when the former secret signs as well; null: there is one secret. ISO 8601 in UTC with milliseconds. */
  previous_secret_expires_at: string | null;
  /** When the webhook was created. ISO 8601 in UTC with milliseconds. */
  created_at: string;
  /** The key of the signatures, whsec_…; shown in this answer alone. */
  secret: string;
}

/** A new webhook. */
export interface NewWebhook {
  /** Where events are sent by POST: an https address without a user name, whose host has no private address. The operator may allow http and any host. */
  url: string;
  /** The events to send. campaign.exhausted: the budget does not pay for another impression; campaign.ended: the end date of an active campaign has passed; balance.low: the balance fell below balance_low_cents; holds.expiry_rate_high: too many matches of the account's games lapsed unseen in an hour; payout.figures_ready: earnings of a UTC day or month are complete. The calling key needs the scope of each: developer for holds and payout, advertiser for the others. */
  events: ("campaign.exhausted" | "campaign.ended" | "balance.low" | "holds.expiry_rate_high" | "payout.figures_ready")[];
  /** The owner's words for the webhook. */
  description?: string | null;
  /** Whether events are recorded and sent; default: true. */
  is_active?: boolean | null;
  /** Threshold of balance.low, in cents. */
  balance_low_cents?: number | null;
  /** Threshold of holds.expiry_rate_high: percent of the matches that ended in the last hour. */
  hold_expiry_percent?: number | null;
  /** Fewer matches in the last hour never cause holds.expiry_rate_high. */
  hold_expiry_min_matches?: number | null;
}

/** Changes the fields that it contains; null sets an optional field back to its default. */
export interface WebhookChanges {
  /** Where events are sent by POST: an https address without a user name, whose host has no private address. The operator may allow http and any host. */
  url?: string;
  /** The events to send. campaign.exhausted: the budget does not pay for another impression; campaign.ended: the end date of an active campaign has passed; balance.low: the balance fell below balance_low_cents; holds.expiry_rate_high: too many matches of the account's games lapsed unseen in an hour; payout.figures_ready: earnings of a UTC day or month are complete. The calling key needs the scope of each: developer for holds and payout, advertiser for the others. */
  events?: ("campaign.exhausted" | "campaign.ended" | "balance.low" | "holds.expiry_rate_high" | "payout.figures_ready")[];
  /** The owner's words for the webhook. */
  description?: string | null;
  /** Whether events are recorded and sent; default: true. */
  is_active?: boolean | null;
  /** Threshold of balance.low, in cents. */
  balance_low_cents?: number | null;
  /** Threshold of holds.expiry_rate_high: percent of the matches that ended in the last hour. */
  hold_expiry_percent?: number | null;
  /** Fewer matches in the last hour never cause holds.expiry_rate_high. */
  hold_expiry_min_matches?: number | null;
}

/** Replaces the secret of a webhook. */
export interface SecretRotation {
  /** How long the former secret signs as well, in seconds; 0: not at all. */
  overlap_seconds?: number | null;
}

/** What a webhook receives. */
export interface WebhookEvent {
  /** The event's identifier, evt_…: the same in every delivery of it. */
  id: string;
  /** What happened. campaign.exhausted: the budget does not pay for another impression; campaign.ended: the end date of an active campaign has passed; balance.low: the balance fell below balance_low_cents; holds.expiry_rate_high: too many matches of the account's games lapsed unseen in an hour; payout.figures_ready: earnings of a UTC day or month are complete. webhook.test: asked for. */
  type: "campaign.exhausted" | "campaign.ended" | "balance.low" | "holds.expiry_rate_high" | "payout.figures_ready" | "webhook.test";
  /** When it happened. ISO 8601 in UTC with milliseconds. */
  created_at: string;
  /** The account that it happened to, acct_…. */
  account_id: string;
  data: WebhookEventData;
}

/** The facts, by type of event. */
export interface WebhookEventData {
  /** campaign.*: the campaign, camp_…. */
  campaign_id?: string;
  /** campaign.*: name of the campaign. */
  name?: string;
  /** campaign.exhausted: the budget, in cents. */
  budget_cents?: number;
  /** campaign.exhausted: what the campaign has spent. In millicents, exact: 1000 are a cent. */
  spent_millicents?: number;
  /** campaign.ended: the end date as it was set. */
  end_date?: string;
  /** balance.low: the advertiser, adv_…. */
  advertiser_id?: string;
  /** balance.low: the balance. In millicents, exact: 1000 are a cent. */
  balance_millicents?: number;
  /** balance.low: the threshold that was crossed, in cents. */
  threshold_cents?: number;
  /** holds.expiry_rate_high: matches of the last hour that lapsed unseen. */
  lapsed_matches?: number;
  /** holds.expiry_rate_high: matches of the last hour that lapsed or were billed. */
  ended_matches?: number;
  /** holds.expiry_rate_high: the threshold that was reached, in percent. */
  threshold_percent?: number;
  /** payout.figures_ready: the UTC day, YYYY-MM-DD, or month, YYYY-MM. */
  period?: string;
  /** payout.figures_ready: the first day. A UTC day, YYYY-MM-DD. */
  from?: string;
  /** payout.figures_ready: the last day. A UTC day, YYYY-MM-DD. */
  to?: string;
  /** payout.figures_ready: impressions of the period. */
  impressions?: number;
  /** payout.figures_ready: earnings of the period. In microcents: 1000000 are a cent. Exact up to 9007199254740991, beyond it the nearest double. */
  earned_microcents?: number;
  /** webhook.test: the webhook, whk_…. */
  webhook_id?: string;
}

/** An event on its way to one webhook. */
export interface WebhookDelivery {
  /** The delivery's identifier, whd_…. */
  id: string;
  /** The webhook, whk_…. */
  webhook_id: string;
  event: WebhookEvent;
  /** pending: attempts follow; delivered: the last one was answered 2xx; failed: given up. */
  status: "pending" | "delivered" | "failed";
  /** Attempts so far. */
  attempt_count: number;
  /** The last attempts, at most 12, newest first. */
  attempts: WebhookAttempt[];
  /** When the next attempt is due; null: there is none. ISO 8601 in UTC with milliseconds. */
  next_attempt_at: string | null;
  /** When the delivery was recorded. ISO 8601 in UTC with milliseconds. */
  created_at: string;
}

/** One request to a webhook. */
export interface WebhookAttempt {
  /** When the request was sent. ISO 8601 in UTC with milliseconds. */
  attempted_at: string;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** The HTTP status of the answer; null: there was none. */
  status: number | null;
  /** Why there was no answer; null: there was one. */
  error: string | null;
  /** The first 200 characters of the answer; null: there was none. */
  response: string | null;
}

/** Of every call. */
export interface CallOptions {
  /** How long the call may be retried after no answer or one that is not final. Default 0: one attempt. */
  retryForMs?: number;
}

export interface IdempotentCallOptions extends CallOptions {
  /** Names this call, for 24 hours: the same key gets the first answer. Default: a new one, kept over retries. */
  idempotencyKey?: string;
}

/** The calls of advertisers and developers. Each rejects with `DiegeticError` unless it succeeds. */
export interface ApiCalls {
  /** Register as an advertiser. */
  registerAdvertiser(call: { body: Registration } & IdempotentCallOptions): Promise<Advertiser>;
  /** Read the profile. */
  getProfile(call?: CallOptions): Promise<Advertiser>;
  /** Change the profile. */
  updateProfile(call: { body: ProfileChanges } & CallOptions): Promise<Advertiser>;
  /** Deposit money. */
  depositFunds(call: { body: DepositRequest } & IdempotentCallOptions): Promise<Deposit>;
  /** List the deposits. */
  listDeposits(call?: { limit?: number; cursor?: string } & CallOptions): Promise<BookedDeposit[]>;
  /** Create a campaign. */
  createCampaign(call: { body: NewCampaign } & IdempotentCallOptions): Promise<Campaign>;
  /** List the campaigns. */
  listCampaigns(call?: { limit?: number; cursor?: string } & CallOptions): Promise<Campaign[]>;
  /** Create many campaigns. */
  createCampaigns(call: { body: NewCampaigns } & IdempotentCallOptions): Promise<BulkResults>;
  /** Read a campaign. */
  getCampaign(call: { campaign_id: string } & CallOptions): Promise<Campaign>;
  /** Change a campaign. */
  updateCampaign(call: { campaign_id: string; body: CampaignChanges } & CallOptions): Promise<Campaign>;
  /** Activate a campaign. */
  activateCampaign(call: { campaign_id: string } & CallOptions): Promise<Campaign>;
  /** Pause a campaign. */
  pauseCampaign(call: { campaign_id: string } & CallOptions): Promise<Campaign>;
  /** Add a creative to a campaign. */
  createCreative(call: { campaign_id: string; body: NewCreative } & IdempotentCallOptions): Promise<Creative>;
  /** List the creatives of a campaign. */
  listCreatives(call: { campaign_id: string; limit?: number; cursor?: string } & CallOptions): Promise<Creative[]>;
  /** Change a creative. */
  updateCreative(call: { creative_id: string; body: CreativeChanges } & CallOptions): Promise<Creative>;
  /** Delete a creative. */
  deleteCreative(call: { creative_id: string } & CallOptions): Promise<void>;
  /** Add a geo target to a campaign. */
  createGeoTarget(call: { campaign_id: string; body: NewGeoTarget } & IdempotentCallOptions): Promise<GeoTarget>;
  /** List the geo targets of a campaign. */
  listGeoTargets(call: { campaign_id: string; limit?: number; cursor?: string } & CallOptions): Promise<GeoTarget[]>;
  /** Delete a geo target. */
  deleteGeoTarget(call: { campaign_id: string; geo_target_id: string } & CallOptions): Promise<void>;
  /** Add a rule to the blocklist of a campaign. */
  createBlocklistRule(call: { campaign_id: string; body: NewBlocklistRule } & IdempotentCallOptions): Promise<BlocklistRule>;
  /** List the blocklist of a campaign. */
  listBlocklistRules(call: { campaign_id: string; limit?: number; cursor?: string } & CallOptions): Promise<BlocklistRule[]>;
  /** Delete a rule of a blocklist. */
  deleteBlocklistRule(call: { campaign_id: string; blocklist_rule_id: string } & CallOptions): Promise<void>;
  /** Replace all affinities of a campaign. */
  replaceAffinities(call: { campaign_id: string; body: NewAffinities } & CallOptions): Promise<Affinity[]>;
  /** Add an affinity to a campaign. */
  createAffinity(call: { campaign_id: string; body: NewAffinity } & IdempotentCallOptions): Promise<Affinity>;
  /** List the affinities of a campaign. */
  listAffinities(call: { campaign_id: string; limit?: number; cursor?: string } & CallOptions): Promise<Affinity[]>;
  /** Delete an affinity. */
  deleteAffinity(call: { campaign_id: string; affinity_id: string } & CallOptions): Promise<void>;
  /** Try a campaign in a scene. */
  simulateCampaign(call: { campaign_id: string; body?: Simulation } & CallOptions): Promise<SimulationResult>;
  /** What can be tried in the simulator. */
  getSimulatorOptions(call: { campaign_id: string } & CallOptions): Promise<SimulationOptions>;
  /** Explain why a campaign would or would not serve. */
  explainCampaign(call: { campaign_id: string; body: MatchRequest } & CallOptions): Promise<Explanation>;
  /** Totals of a campaign. */
  getCampaignStats(call: { campaign_id: string } & CallOptions): Promise<CampaignStats>;
  /** A campaign day by day. */
  getDailyAnalytics(call: { campaign_id: string; days?: number } & CallOptions): Promise<DailyAnalytics>;
  /** A campaign by creative. */
  getCreativeAnalytics(call: { campaign_id: string } & CallOptions): Promise<CreativeAnalytics>;
  /** A campaign by country. */
  getGeoAnalytics(call: { campaign_id: string } & CallOptions): Promise<GeoAnalytics>;
  /** A campaign by game. */
  getGameAnalytics(call: { campaign_id: string } & CallOptions): Promise<GameAnalytics>;
  /** A campaign by affinity. */
  getAffinityAnalytics(call: { campaign_id: string } & CallOptions): Promise<AffinityAnalytics>;
  /** How a campaign spends its budget. */
  getPacing(call: { campaign_id: string } & CallOptions): Promise<Pacing>;
  /** All campaigns day by day. */
  getAccountDaily(call?: { days?: number } & CallOptions): Promise<AccountDaily>;
  /** Every campaign with its last days. */
  listCampaignSeries(call?: { days?: number; limit?: number; cursor?: string } & CallOptions): Promise<CampaignSeriesList>;
  /** Spend by campaign, creative, country and day. */
  getSpend(call?: { days?: number; from?: string; to?: string; group_by?: string; campaign_id?: string; creative_id?: string; country_code?: string; limit?: number; cursor?: string } & CallOptions): Promise<Spend>;
  /** Read the ledger by day. */
  getLedger(call?: { days?: number; from?: string; to?: string } & CallOptions): Promise<Ledger>;
  /** List the placements. */
  listPlacements(call?: { limit?: number; cursor?: string } & CallOptions): Promise<Placement[]>;
  /** Enable ads in a game. */
  enablePlacement(call: { game_id: string; body: NewPlacement } & IdempotentCallOptions): Promise<Placement>;
  /** Read a placement. */
  getPlacement(call: { game_id: string } & CallOptions): Promise<Placement>;
  /** Change a placement. */
  updatePlacement(call: { game_id: string; body: PlacementChanges } & CallOptions): Promise<Placement>;
  /** Disable ads in a game. */
  disablePlacement(call: { game_id: string } & CallOptions): Promise<void>;
  /** Read the advertiser's spending. */
  getRevenue(call?: CallOptions): Promise<AdvertiserRevenue>;
  /** Read the developer's earnings. */
  getCreatorRevenue(call?: CallOptions): Promise<CreatorRevenue>;
  /** What one game has earned. */
  getGameRevenue(call: { game_id: string } & CallOptions): Promise<GameRevenue>;
  /** Who was seen in one game. */
  listGameAdvertisers(call: { game_id: string; limit?: number; cursor?: string } & CallOptions): Promise<GameAdvertiser[]>;
  /** Read the games' earnings by day. */
  getEarnings(call?: { days?: number; from?: string; to?: string; game_id?: string; advertiser_id?: string; limit?: number; cursor?: string } & CallOptions): Promise<Earnings>;
  /** Read the games' earnings by advertiser. */
  getEarningsByAdvertiser(call?: { days?: number; from?: string; to?: string; game_id?: string; limit?: number; cursor?: string } & CallOptions): Promise<EarningsByAdvertiser>;
  /** How the integration is doing. */
  getTraffic(call?: { limit?: number; cursor?: string } & CallOptions): Promise<Traffic>;
  /** The calls of one game over time. */
  getTrafficSeries(call: { game_id: string; unit?: "hour" | "day"; count?: number } & CallOptions): Promise<TrafficSeries>;
  /** Scenes of one game that got no ad. */
  listNoMatchScenes(call: { game_id: string } & CallOptions): Promise<NoMatchScene[]>;
  /** Scenes of all own games that got no ad. */
  listAccountNoMatchScenes(call?: { limit?: number } & CallOptions): Promise<NoMatchScene[]>;
  /** Words of one game beside those of the market. */
  getGameWords(call: { game_id: string } & CallOptions): Promise<GameWords>;
  /** Words that games really send. */
  listMarketWords(call?: { type?: "theme" | "category" | "mood" | "location" | "action" } & CallOptions): Promise<MarketWord[]>;
  /** Create a key. */
  createApiKey(call: { body: NewApiKey } & IdempotentCallOptions): Promise<CreatedApiKey>;
  /** List the keys in force. */
  listApiKeys(call?: { limit?: number; cursor?: string } & CallOptions): Promise<ApiKey[]>;
  /** Replace a key. */
  rotateApiKey(call: { key_id: string; body?: ApiKeyRotation } & IdempotentCallOptions): Promise<CreatedApiKey>;
  /** Revoke a key. */
  revokeApiKey(call: { key_id: string } & CallOptions): Promise<void>;
  /** Create a webhook. */
  createWebhook(call: { body: NewWebhook } & IdempotentCallOptions): Promise<WebhookWithSecret>;
  /** List the webhooks. */
  listWebhooks(call?: { limit?: number; cursor?: string } & CallOptions): Promise<Webhook[]>;
  /** Show a webhook. */
  getWebhook(call: { webhook_id: string } & CallOptions): Promise<Webhook>;
  /** Change a webhook. */
  updateWebhook(call: { webhook_id: string; body: WebhookChanges } & CallOptions): Promise<Webhook>;
  /** Delete a webhook. */
  deleteWebhook(call: { webhook_id: string } & CallOptions): Promise<void>;
  /** Replace the secret. */
  rotateWebhookSecret(call: { webhook_id: string; body?: SecretRotation } & IdempotentCallOptions): Promise<WebhookWithSecret>;
  /** Send a test event. */
  testWebhook(call: { webhook_id: string } & CallOptions): Promise<WebhookDelivery>;
  /** List the deliveries. */
  listWebhookDeliveries(call: { webhook_id: string; limit?: number; cursor?: string } & CallOptions): Promise<WebhookDelivery[]>;
  /** Deliver again. */
  redeliverWebhookDelivery(call: { delivery_id: string } & CallOptions): Promise<WebhookDelivery>;
}

/** The calls whose answers may come in pages. */
export type PagedCall =
  | "listDeposits"
  | "listCampaigns"
  | "listCreatives"
  | "listGeoTargets"
  | "listBlocklistRules"
  | "listAffinities"
  | "listCampaignSeries"
  | "getSpend"
  | "listPlacements"
  | "listGameAdvertisers"
  | "getEarnings"
  | "getEarningsByAdvertiser"
  | "getTraffic"
  | "listApiKeys"
  | "listWebhooks"
  | "listWebhookDeliveries";

/** Each iterates over the answers of its call, page by page, to the last. `retryForMs` is for each page. */
export type ApiPages = {
  [Name in PagedCall]: (
    ...call: Parameters<ApiCalls[Name]>
  ) => AsyncGenerator<Awaited<ReturnType<ApiCalls[Name]>>, void>;
};
