import type { BodyOf } from "../../api/operations.ts";

/** What the fields of a campaign are called. */
export const CAMPAIGN_LABELS = {
  name: "Name",
  budget_cents: "Budget",
  cpm_bid_cents: "Bid per thousand impressions",
  daily_cap_cents: "Daily cap",
  start_date: "First day",
  end_date: "Last day",
  priority: "Priority",
  target_categories: "Only in scenes of these categories",
  target_tags: "Only in scenes with one of these tags",
} as const satisfies Partial<Record<keyof BodyOf<"PATCH /campaigns/{campaign_id}">, string>>;

/** What the fields of an advertiser's profile are called. */
export const COMPANY_LABELS = {
  company_name: "Company",
  contact_email: "Contact e-mail",
  website: "Website",
} as const satisfies Partial<Record<keyof BodyOf<"PATCH /profile">, string>>;

/** What the fields of a creative are called. */
export const CREATIVE_LABELS = {
  brand_name: "Brand",
  narrative_hook: "Line",
  alt_hooks: "Alternative lines",
  product_name: "Product",
  tone: "Tone",
  tagline: "Tagline",
  max_uses_per_game: "Most appearances in one player session",
} as const satisfies Partial<Record<keyof BodyOf<"PATCH /creatives/{creative_id}">, string>>;
