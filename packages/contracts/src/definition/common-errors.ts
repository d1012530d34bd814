import { refusal } from "./operation.ts";

/** The account has to register before it uses an advertiser's endpoints. */
export const registerFirst = refusal(
  403,
  "not_registered",
  "The account of the key has no advertiser profile.",
  "This account has no advertiser profile: register first by POST /register.",
);

/** For operations below /campaigns/{campaign_id}. */
export const ownCampaignOnly = [
  registerFirst,
  refusal(
    403,
    "other_advertiser",
    "The campaign belongs to another advertiser.",
    "The campaign belongs to another advertiser: GET /campaigns lists your own.",
  ),
  refusal(404, "no_campaign", "Campaign not found.", "Campaign not found. GET /campaigns lists yours."),
] as const;

/** For operations that add to an account's published data. */
export const accountTooLarge = refusal(
  422,
  "account_too_large",
  "The campaigns and placements of the account would have more than 64 MiB as published.",
  "The campaigns and placements of an account as published have at most 67108864 bytes (64 MiB) together: shorten or delete what is no longer needed first.",
);

/** For operations that add to a campaign. */
export const campaignTooLarge = [
  refusal(
    422,
    "campaign_too_large",
    "The campaign would have more than 256 KiB as published.",
    "A campaign as published has at most 262144 bytes (256 KiB): shorten or delete creatives, targets, blocklist rules or affinities first.",
  ),
  accountTooLarge,
] as const;

/** For operations on the caller's game in the path. */
export const ownGameOnly = [
  refusal(
    403,
    "other_account",
    "The game's placement belongs to another account.",
    "The game's placement belongs to another account: use a key of that account, or another game_id.",
  ),
  refusal(
    404,
    "no_placement",
    "Ads were never enabled in the game.",
    "Placement not found. POST /placements/{game_id} enables one.",
  ),
] as const;

/** For operations with a period as `from` and `to`. */
export function periodRefusals(maxDays: number) {
  return [
    refusal(
      400,
      "malformed_day",
      "A parameter is no day.",
      'from must be a day as YYYY-MM-DD, but "yesterday" was sent',
    ),
    refusal(
      422,
      "period",
      "The period is too long, or ends before it begins.",
      `from must be at most ${maxDays} days before to, that day included`,
    ),
  ] as const;
}

/** For operations with a number of days. */
export function daysRefusals(maxDays: number) {
  return [
    refusal(
      400,
      "no_number",
      "days is no whole number, or empty.",
      `days must be a whole number from 1 to ${maxDays}, but "abc" was sent`,
    ),
    refusal(
      422,
      "days",
      "days is out of range.",
      `days must be a whole number from 1 to ${maxDays}, but "400" was sent`,
    ),
  ] as const;
}

/** A required field is missing. */
export function missingField(detail: string) {
  return refusal(400, "missing_field", "A required field is missing.", detail);
}

/** A field has another JSON type or a malformed format. */
export function malformedField(detail: string) {
  return refusal(400, "malformed_field", "A field has the wrong type or a malformed value.", detail);
}

/** A PATCH contains a response-only field with another value than the current one. */
export function responseOnlyField(detail: string) {
  return refusal(
    422,
    "response_only",
    "A field of the answer that PATCH does not change has another value than the current one.",
    detail,
  );
}

/** A field is well-formed, but not allowed. */
export function notAllowedField(detail: string) {
  return refusal(
    422,
    "not_allowed",
    "A field is outside its range, its length or its list of values.",
    detail,
  );
}
